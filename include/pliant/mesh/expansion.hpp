// Exact sums and products of doubles.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace pliant::detail::mesh {

// Writes the rounded product of each of `count` numbers with a factor, and its rounding error, both exact. It
// is not inlined, because a compiler may otherwise contract a product with the sum that it is used in, which
// then has another rounding error.
[[gnu::noinline]] inline void multiply_exactly(const double* numbers, std::size_t count, double factor,
                                               double* products_and_errors) {
  for (std::size_t k = 0; k < count; ++k) {
    const double product = numbers[k] * factor;
    products_and_errors[2 * k] = product;
    products_and_errors[2 * k + 1] = std::fma(numbers[k], factor, -product);
  }
}

// A number as the sum of up to `capacity` doubles of ascending magnitude, whose bits do not overlap (Shewchuk
// 1997, "Adaptive precision floating-point arithmetic and fast robust geometric predicates"). All operations
// are exact as long as nothing overflows or underflows, and the code is not compiled with -ffast-math.
template <std::size_t capacity>
class Expansion {
 public:
  Expansion() : size_(0) {}  // zero; the parts are not initialised

  // a - b.
  static Expansion difference(double a, double b) {
    Expansion result;
    result.add(a);
    result.add(-b);
    return result;
  }

  std::size_t size() const { return size_; }
  const double* parts() const { return parts_.data(); }

  // -1, 0 or 1: that of the largest part.
  int sign() const { return size_ == 0 ? 0 : parts_[size_ - 1] > 0 ? 1 : -1; }

  // Adds a double: figure 6 of Shewchuk, without zeros.
  void add(double number) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < size_; ++k) {
      const double part = parts_[k], sum = number + part, rounded = sum - number;
      const double error = (number - (sum - rounded)) + (part - rounded);
      number = sum;
      if (error != 0) parts_[kept++] = error;
    }
    if (number != 0) parts_[kept++] = number;
    size_ = kept;
  }

  template <std::size_t other>
  void add(const Expansion<other>& number, double sign = 1) {
    for (std::size_t k = 0; k < number.size(); ++k) add(sign * number.parts()[k]);
  }

 private:
  std::array<double, capacity> parts_;
  std::size_t size_;
};

template <std::size_t m, std::size_t n>
Expansion<m + n> operator+(const Expansion<m>& a, const Expansion<n>& b) {
  Expansion<m + n> sum;
  sum.add(a);
  sum.add(b);
  return sum;
}
template <std::size_t m, std::size_t n>
Expansion<m + n> operator-(const Expansion<m>& a, const Expansion<n>& b) {
  Expansion<m + n> sum;
  sum.add(a);
  sum.add(b, -1);
  return sum;
}
template <std::size_t m, std::size_t n>
Expansion<2 * m * n> operator*(const Expansion<m>& a, const Expansion<n>& b) {
  Expansion<2 * m * n> sum;
  std::array<double, 2 * m> products;
  for (std::size_t j = 0; j < b.size(); ++j) {
    multiply_exactly(a.parts(), a.size(), b.parts()[j], products.data());
    for (std::size_t k = 0; k < 2 * a.size(); ++k) sum.add(products[k]);
  }
  return sum;
}

}  // namespace pliant::detail::mesh
