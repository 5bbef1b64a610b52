// A sequence of states for ParaView: numbered .vtu files and the .pvd index to open.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <pliant/io/body_snapshot.hpp>
#include <pliant/io/snapshot.hpp>
#include <pliant/io/vtu.hpp>
#include <pliant/io/xml_text.hpp>

namespace pliant {

// VtkSeries out("out/hand", simulation);  simulation.step();  out.write(simulation);  ...
// writes out/hand_0000.vtu, out/hand_0001.vtu, ... and out/hand.pvd, which lists them with their times. The
// index is complete after every frame, so that it can be opened during a run and after an interrupted one.
// Rigid bodies are in files of their own, out/hand_bodies_0000.vtu, beside those of the soft body, if there
// is one; the index lists both, so that ParaView shows the whole scene.
class VtkSeries {
 public:
  // `stem`: folder and name without an extension. Folders are created with the first frame. The constructor
  // writes nothing: the first frame is that of the first call of `write`.
  explicit VtkSeries(std::filesystem::path stem) : stem_(std::move(stem)) {}

  // The same, and the current state of `snapshot`, such as a simulation at time 0, is the first frame. Throws
  // the errors of `write`.
  template <class S>
  requires(Snapshot<S> || SceneSnapshot<S>) VtkSeries(std::filesystem::path stem, const S& snapshot)
      : VtkSeries(std::move(stem)) {
    write(snapshot);
  }

  // Adds a frame. Throws WriteError, also for a name that XML cannot represent, and the errors of write_vtu;
  // then the index is unchanged. Throws ParameterError for a time that is not finite.
  template <class S>
  requires(Snapshot<S> || SceneSnapshot<S>) void write(const S& snapshot) {
    const auto time = static_cast<double>(snapshot.time());
    detail::core::require_parameter(true, "time", time, "must be finite");
    constexpr bool is_scene = SceneSnapshot<S>;
    constexpr bool is_soft = !is_scene || requires { snapshot.soft(); };
    const std::filesystem::path frame = suffixed("_" + number(count_) + ".vtu"),
                                bodies = suffixed("_bodies_" + number(count_) + ".vtu");
    std::string entry;
    if constexpr (is_soft) entry += entry_of(time, frame, is_scene ? "0" : nullptr);
    if constexpr (is_scene) entry += entry_of(time, bodies, is_soft ? "1" : nullptr);
    if (entries_.capacity() - entries_.size() < entry.size()) {  // now: no allocation may fail at the end
      entries_.reserve(2 * entries_.size() + entry.size());
    }
    if constexpr (!is_scene) write_vtu(frame, snapshot);
    else if constexpr (is_soft) write_vtu(frame, snapshot.soft());
    if constexpr (is_scene) write_vtu(bodies, snapshot.bodies());
    // In place if the index is still that of the last frame, so that the cost of a frame does not grow.
    const std::uintmax_t end = head.size() + entries_.size();
    if (count_ == 0 || !detail::io::insert_before_tail(index(), end, entry, tail)) {
      detail::io::write_file(index(), std::string(head) + entries_ + entry + std::string(tail));
    }
    entries_ += entry;
    ++count_;
  }

  template <class Other>
  void write(const Other&) requires(!Snapshot<Other> && !SceneSnapshot<Other>) {
    static_assert(detail::core::always_false<Other>,
                  "what is written must be a Simulation, or another Snapshot with mesh(), positions(), "
                  "velocities() and time(); a mesh at rest is written by write_vtu(path, mesh)");
  }

  // The file to open in ParaView.
  std::filesystem::path index() const { return suffixed(".pvd"); }

  std::size_t frame_count() const { return count_; }

 private:
  static constexpr std::string_view head =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n";
  static constexpr std::string_view tail = "  </Collection>\n</VTKFile>\n";

  std::filesystem::path suffixed(const std::string& suffix) const {
    if (stem_.filename().empty())
      throw WriteError(stem_.string(), "names a folder, not the stem of file names");
    return stem_.native() + std::filesystem::path(suffix).native();
  }

  // The line of a file in the index; `part` distinguishes files of the same time.
  static std::string entry_of(double time, const std::filesystem::path& file, const char* part) {
    std::string entry = "    <DataSet timestep=\"" + shortest(time) + "\"";
    if (part != nullptr) entry += std::string(" part=\"") + part + "\"";
    return entry + " file=\"" + in_xml(file) + "\"/>\n";
  }

  // At least four digits, so that file names sort.
  static std::string number(std::size_t frame) {
    const std::string digits = std::to_string(frame);
    return digits.size() < 4 ? std::string(4 - digits.size(), '0') + digits : digits;
  }

  // The shortest text that reads back as the same number, in any locale.
  static std::string shortest(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
  }

  // The name of a file as the value of an attribute.
  static std::string in_xml(const std::filesystem::path& path) {
    const std::u8string name = path.filename().u8string();
    const detail::io::XmlText xml =
        detail::io::xml_attribute({reinterpret_cast<const char*>(name.data()), name.size()});
    if (!xml.fault.empty()) {
      throw WriteError(path.string(), "the index cannot name this file: " + xml.fault);
    }
    return xml.text;
  }

  std::filesystem::path stem_;
  std::string entries_;  // of the index
  std::size_t count_ = 0;
};

}  // namespace pliant
