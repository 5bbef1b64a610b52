// A sequence of states for ParaView: numbered .vtu files and the .pvd index to open.
#pragma once

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include <pliant/io/snapshot.hpp>
#include <pliant/io/vtu.hpp>

namespace pliant {

// VtkSeries out("out/hand");  out.write(simulation);  ...
// makes out/hand_0000.vtu, out/hand_0001.vtu, ... and out/hand.pvd, which names them with their times. The
// index is complete after every frame, so that a run can be looked at while it goes on.
class VtkSeries {
 public:
  // `stem`: folder and name without an extension. Folders are created with the first frame.
  explicit VtkSeries(std::filesystem::path stem) : stem_(std::move(stem)) {}

  // Adds a frame. Throws WriteError, and then the index is what it was before.
  template <Snapshot S>
  void write(const S& snapshot) {
    const std::filesystem::path frame = suffixed("_" + number(count_) + ".vtu");
    write_vtu(frame, snapshot);
    std::string entries = entries_ + "    <DataSet timestep=\"" +
                          shortest(static_cast<double>(snapshot.time())) + "\" file=\"" +
                          escaped(frame.filename().string()) + "\"/>\n";
    detail::write_file(
        index(), "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n" +
                     entries + "  </Collection>\n</VTKFile>\n");
    entries_ = std::move(entries);
    ++count_;
  }

  template <class Other>
  void write(const Other&) requires(!Snapshot<Other>) {
    static_assert(detail::is_ever_right<Other>,
                  "what is written must be a Simulation, or another Snapshot with mesh(), positions(), "
                  "velocities() and time(); a mesh at rest is written by write_vtu(path, mesh)");
  }

  // The file to open in ParaView.
  std::filesystem::path index() const { return suffixed(".pvd"); }

  std::size_t frame_count() const { return count_; }

 private:
  std::filesystem::path suffixed(const std::string& suffix) const {
    if (stem_.filename().empty())
      throw WriteError(stem_.string(), "names a folder, not the stem of file names");
    std::filesystem::path path = stem_;
    path += suffix;
    return path;
  }

  // At least four digits, so that file names sort.
  static std::string number(std::size_t frame) {
    const std::string digits = std::to_string(frame);
    return digits.size() < 4 ? std::string(4 - digits.size(), '0') + digits : digits;
  }

  // The shortest text that reads back as the same number, whatever the locale.
  static std::string shortest(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
  }

  static std::string escaped(const std::string& text) {
    std::string xml;
    for (const char c : text) {
      switch (c) {
        case '&':
          xml += "&amp;";
          break;
        case '<':
          xml += "&lt;";
          break;
        case '"':
          xml += "&quot;";
          break;
        default:
          xml += c;
      }
    }
    return xml;
  }

  std::filesystem::path stem_;
  std::string entries_;  // of the index
  std::size_t count_ = 0;
};

}  // namespace pliant
