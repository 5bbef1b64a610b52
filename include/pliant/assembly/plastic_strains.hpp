// The plastic strains of the quadrature points of a solid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/assembly/element_kernel.hpp>
#include <pliant/core/error.hpp>
#include <pliant/core/parallel.hpp>

namespace pliant::detail::assembly {

// For the batches of a kernel. Zero at first.
template <class Kernel>
class PlasticStrains {
 public:
  using Batches = typename Kernel::Batches;
  using Scalar = typename Batches::Scalar;
  static constexpr int dim = Kernel::dim;
  static constexpr int points = Kernel::quadrature_points;

  explicit PlasticStrains(const Batches& batches)
      : numbers_(static_cast<std::size_t>(batches.count) * batch_size, Scalar(0)),
        any_(static_cast<std::size_t>(batches.count), 0) {}

  // The strains of a batch, [point][entry][lane], the entries of the upper triangle column by column; null if
  // all are zero.
  const Scalar* of_batch(int batch) const {
    return any_[static_cast<std::size_t>(batch)] != 0 ? numbers_of(batch) : nullptr;
  }

  // Calls change(batch, its strains), which returns whether it has changed them, for all batches. Returns
  // whether any has.
  template <class Change>
  bool update(const Change& change) {
    return core::parallel_sum<int>(std::ssize(any_), 64, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
             int changes = 0;
             for (std::ptrdiff_t b = begin; b < end; ++b) {
               if (!change(static_cast<int>(b), numbers_of(static_cast<int>(b)))) continue;
               any_[static_cast<std::size_t>(b)] = has_any(static_cast<int>(b));
               ++changes;
             }
             return changes;
           }) > 0;
  }

  // Copies them to the columns of a matrix, dim^2 x (#elements #points): a tensor for each point of each
  // element of the user, column by column.
  void show(const Batches& batches, NodeMatrix<Scalar, dim * dim>& user) const {
    for_each(batches, [&](std::ptrdiff_t column, int i, int j, std::ptrdiff_t k) {
      user(i + dim * j, column) = user(j + dim * i, column) = numbers_[static_cast<std::size_t>(k)];
    });
  }

  // From such a matrix, whose tensors must be symmetric.
  void take(const Batches& batches, const NodeMatrix<Scalar, dim * dim>& user) {
    for_each(batches, [&](std::ptrdiff_t column, int i, int j, std::ptrdiff_t k) {
      numbers_[static_cast<std::size_t>(k)] = user(i + dim * j, column);
    });
    find_any();
  }

  // See core/history.hpp.
  using History = AlignedVector<Scalar>;
  void save(History& history) const { history = numbers_; }
  void check(const History& history) const {
    if (history.size() != numbers_.size())
      throw StateError("plastic strains", "of another size in the state");
  }
  void restore(History&& history) {
    numbers_ = std::move(history);
    find_any();
  }

 private:
  static constexpr int width = Kernel::width;
  static constexpr int batch_size = points * Kernel::strain_size * width;

  const Scalar* numbers_of(int batch) const { return numbers_.data() + std::ptrdiff_t{batch} * batch_size; }
  Scalar* numbers_of(int batch) { return numbers_.data() + std::ptrdiff_t{batch} * batch_size; }

  bool has_any(int batch) const {
    const Scalar* const numbers = numbers_of(batch);
    return std::any_of(numbers, numbers + batch_size, [](Scalar number) { return number != 0; });
  }

  void find_any() {
    for (int b = 0; b < std::ssize(any_); ++b) any_[static_cast<std::size_t>(b)] = has_any(b);
  }

  // Calls use(column of the user, i, j, index of the number) for the upper triangles of all tensors, also in
  // the padding, which has the strains of the last element.
  template <class Use>
  void for_each(const Batches& batches, Use&& use) const {
    std::ptrdiff_t k = 0;
    for (int b = 0; b < batches.count; ++b) {
      for (int point = 0; point < points; ++point) {
        for (int j = 0; j < dim; ++j) {
          for (int i = 0; i <= j; ++i) {
            for (int l = 0; l < width; ++l, ++k) {
              const std::ptrdiff_t e = std::min(std::ptrdiff_t{b} * width + l, batches.element_count - 1);
              use(std::ptrdiff_t{batches.to_user[static_cast<std::size_t>(e)]} * points + point, i, j, k);
            }
          }
        }
      }
    }
  }

  AlignedVector<Scalar> numbers_;
  std::vector<char> any_;  // whether a number of the batch is not zero
};

// In place of PlasticStrains for a solid without plasticity.
template <class Kernel>
struct NoPlasticStrains {
  explicit NoPlasticStrains(const typename Kernel::Batches&) {}
};

}  // namespace pliant::detail::assembly
