#include "linear_solver/problem.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <limits>

#include <pliant/linear_solver/preconditioner/incomplete_factor.hpp>

using namespace pliant;
using namespace pliant::test;
using namespace eigen_view;

namespace {

template <int Dim, class Scalar>
struct Factor {
  detail::linear_solver::IncompleteFactor<Dim> factor;

  explicit Factor(const BlockMatrix<Dim, Scalar>& A) { factor.analyse(graph_of(A.pattern()), A.pattern()); }

  // With an order in parts of so many rows.
  Factor(const BlockMatrix<Dim, Scalar>& A, std::ptrdiff_t rows_per_part) {
    const Adjacency graph = graph_of(A.pattern());
    factor.analyse(graph, A.pattern(), detail::linear_solver::SweepOrder::of_graph(graph, rows_per_part));
  }

  bool factorise(const BlockMatrix<Dim, Scalar>& A, detail::linear_solver::FactorKind kind) {
    return factor.factorise(A, 1, kind);
  }

  Eigen::VectorXd solve(const Eigen::VectorXd& b) {
    using Row = typename detail::linear_solver::IncompleteFactor<Dim>::Row;
    const auto right_side = node_vector<Dim, float>(b);
    NodeVector<Dim, float> x(right_side.nodes());
    const auto row = [&](int i) { return Row(right_side.row(i)); };
    const int shares = factor.shares();
    detail::core::parallel_parts(shares, [&](int s) { factor.forward_early(s, shares, row); });
    detail::core::parallel_parts(factor.parts(), [&](int p) { factor.through_late(p, row); });
    detail::core::parallel_parts(shares, [&](int s) { factor.backward_early(s, shares); });
    for (int i = 0; i < x.nodes(); ++i) {
      for (int axis = 0; axis < Dim; ++axis) x.node(i)(axis) = factor.at_node(i)[axis];
    }
    return stacked(x);
  }

  // The matrix in the order of elimination, its columns the unknowns of one node after the other.
  Eigen::MatrixXd in_order(const Eigen::MatrixXd& A) const {
    std::vector<int> unknowns;
    for (const int node : factor.order().node) {
      for (int axis = 0; axis < Dim; ++axis) unknowns.push_back(Dim * node + axis);
    }
    return A(unknowns, unknowns);
  }
  Eigen::VectorXd in_order(const Eigen::VectorXd& b) const {
    Eigen::VectorXd result(b.size());
    for (std::size_t k = 0; k < factor.order().node.size(); ++k) {
      result.segment(Dim * static_cast<int>(k), Dim) = b.segment(Dim * factor.order().node[k], Dim);
    }
    return result;
  }
};

// Levels of `width` nodes, each coupled with all nodes of its own and of the two levels beside it: factorised
// level by level, no zero becomes another number.
std::shared_ptr<const BlockPattern> levels(int count, int width) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(count * width));
  for (int i = 0; i < count * width; ++i) {
    for (int j = std::max(0, (i / width - 1) * width); j < std::min(count, i / width + 2) * width; ++j) {
      if (i != j) rows[static_cast<std::size_t>(i)].push_back(j);
    }
  }
  return std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph_of_rows(rows)));
}

// Blocks of a pattern that the order does not couple.
std::ptrdiff_t left_out(const BlockPattern& pattern, const detail::linear_solver::SweepOrder& order) {
  std::ptrdiff_t count = 0;
  for (std::size_t i = 0; i + 1 < pattern.row_begin.size(); ++i) {
    for (int k = pattern.row_begin[i]; k < pattern.row_begin[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(k)]);
      count += !order.couples(order.place[i], order.place[j]);
    }
  }
  return count;
}

Eigen::VectorXd random_stacked(std::ptrdiff_t size, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  Eigen::VectorXd x(size);
  for (double& entry : x) entry = number(random);
  return x;
}

template <int Dim, class Scalar>
void exact_without_fill(int count, int width) {
  std::mt19937 random(1);
  const auto A = random_symmetric<Dim, Scalar>(levels(count, width), random, 1.05);
  Factor<Dim, Scalar> factor(A);
  REQUIRE(factor.factorise(A, detail::linear_solver::FactorKind::incomplete_cholesky));
  const Eigen::VectorXd b = random_stacked(Dim * A.rows(), random), exact = dense(A).llt().solve(b);
  CHECK((factor.solve(b) - exact).norm() <= 1e-5 * exact.norm());
}

// The block IC(0) of a matrix that is in its order, as a plain dense algorithm: where there is no block in A,
// or none that the order couples, there is none in the factor.
template <int Dim>
Eigen::MatrixXd dense_incomplete(Eigen::MatrixXd A, const Eigen::MatrixXi& exists) {
  const int n = static_cast<int>(exists.rows());
  const Eigen::MatrixXd whole = A;
  Eigen::MatrixXd U = Eigen::MatrixXd::Identity(A.rows(), A.cols()), D = U;
  const auto block = [](auto& M, int i, int j) { return M.template block<Dim, Dim>(Dim * i, Dim * j); };
  for (int k = 0; k < n; ++k) {
    const Eigen::Matrix<double, Dim, Dim> pivot = block(A, k, k);
    block(D, k, k) = pivot;
    for (int j = k + 1; j < n; ++j) {
      if (exists(k, j) != 0) block(U, k, j) = pivot.inverse() * block(A, k, j);
    }
    for (int i = k + 1; i < n; ++i) {
      for (int j = i; j < n; ++j) {
        if (exists(k, i) != 0 && exists(k, j) != 0 && (i == j || exists(i, j) != 0)) {
          block(A, i, j) -= block(U, k, i).transpose() * block(A, k, j);
        }
      }
    }
  }
  return U.transpose() * D * U;
}

}  // namespace

TEST_CASE("IncompleteFactor: exact where elimination fills nothing in") {
  exact_without_fill<3, double>(40, 1);
  exact_without_fill<3, double>(20, 7);
  exact_without_fill<2, double>(33, 5);
  exact_without_fill<3, float>(20, 4);
  exact_without_fill<2, float>(1, 1);
}

TEMPLATE_TEST_CASE("IncompleteFactor: what a plain dense algorithm makes of the same order", "", double,
                   float) {
  const auto compare = [](auto dim_constant, int nodes) {
    constexpr int dim = dim_constant;
    std::mt19937 random(2);
    const auto A = random_symmetric<dim, TestType>(random_pattern(nodes, random), random, 0.6);
    Factor<dim, TestType> factor(A);
    REQUIRE(factor.factorise(A, detail::linear_solver::FactorKind::incomplete_cholesky));
    const detail::linear_solver::SweepOrder& order = factor.factor.order();
    const Adjacency graph = graph_of(A.pattern());
    Eigen::MatrixXi exists = Eigen::MatrixXi::Zero(nodes, nodes);
    for (int i = 0; i < nodes; ++i) {
      for (int k = graph.begin[static_cast<std::size_t>(i)]; k < graph.begin[static_cast<std::size_t>(i) + 1];
           ++k) {
        const int a = order.place[static_cast<std::size_t>(i)],
                  b = order.place[static_cast<std::size_t>(graph.list[static_cast<std::size_t>(k)])];
        exists(a, b) = order.couples(a, b);
      }
    }
    const Eigen::MatrixXd P = dense_incomplete<dim>(factor.in_order(dense(A)), exists);
    const Eigen::VectorXd b = random_stacked(dim * nodes, random);
    const Eigen::VectorXd expected = P.llt().solve(factor.in_order(b)), x = factor.in_order(factor.solve(b));
    CHECK((x - expected).norm() <= 1e-5 * expected.norm());
    CHECK((P - factor.in_order(dense(A))).norm() > 1e-3 * P.norm());  // there is fill-in to be left out
  };
  compare(std::integral_constant<int, 3>{}, 150);
  compare(std::integral_constant<int, 2>{}, 150);
}

TEST_CASE("IncompleteFactor: SSOR is (D + L) D^-1 (D + U)") {
  std::mt19937 random(3);
  const auto A = random_symmetric<3, double>(random_pattern(120, random), random, 1.1);
  Factor<3, double> factor(A);
  REQUIRE(factor.factorise(A, detail::linear_solver::FactorKind::symmetric_gauss_seidel));
  const Eigen::MatrixXd whole = factor.in_order(dense(A));
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(360, 360), U = D;
  for (int i = 0; i < 360; i += 3) {
    D.block<3, 3>(i, i) = whole.block<3, 3>(i, i);
    U.block(i, i + 3, 3, 357 - i) = whole.block(i, i + 3, 3, 357 - i);
  }
  const Eigen::MatrixXd P = (D + U.transpose()) * D.inverse() * (D + U);
  const Eigen::VectorXd b = random_stacked(360, random), expected = P.lu().solve(factor.in_order(b));
  CHECK((factor.in_order(factor.solve(b)) - expected).norm() <= 1e-5 * expected.norm());
}

TEST_CASE(
    "IncompleteFactor: with several parts all couplings but those of late rows are kept, bits on any "
    "threads") {
  // 9000 rows in levels of 3, in one part and in several, the ends of which meet.
  std::mt19937 random(4);
  const auto pattern = levels(3000, 3);
  const auto A = random_symmetric<3, double>(pattern, random, 1.05);
  const Eigen::VectorXd b = random_stacked(27000, random);
  for (const std::size_t parts : {1, 2, 6}) {
    INFO(parts << " parts");
    Factor<3, double> factor(A, 9000 / static_cast<std::ptrdiff_t>(parts));
    const detail::linear_solver::SweepOrder& order = factor.factor.order();
    REQUIRE(order.parts.size() == parts);
    std::vector<int> seen(9000, 0);
    for (const int node : order.node) ++seen[static_cast<std::size_t>(node)];
    CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
    CHECK(left_out(*pattern, order) == 0);  // chains are long enough that late rows of two parts do not meet
    Eigen::VectorXd first;
    for (const int threads : thread_counts) {
      const WithThreads with(threads);
      const int few = static_cast<int>(parts);
      CHECK(factor.factor.shares() == (thread_count() > few ? 2 * few : few));
      REQUIRE(factor.factorise(A, detail::linear_solver::FactorKind::incomplete_cholesky));
      const Eigen::VectorXd x = factor.solve(b);
      if (first.size() == 0) first = x;
      CHECK(x == first);
    }
    // Only where parts meet is there fill-in, which is left out.
    const Eigen::VectorXd residual = b - sparse(A) * first;
    CHECK(residual.norm() <= (parts == 1 ? 1e-5 : 0.1) * b.norm());
    CHECK((residual.norm() > 1e-5 * b.norm()) == (parts > 1));
  }
}

TEST_CASE("IncompleteFactor: late rows of parts that meet are not coupled") {
  // A few rows have neighbours anywhere, and these others.
  std::mt19937 random(5);
  std::vector<std::vector<int>> rows(3200);
  std::uniform_int_distribution<int> anywhere(0, 127);
  for (int k = 0; k < 400; ++k) {
    const auto i = static_cast<std::size_t>(25 * anywhere(random)),
               j = static_cast<std::size_t>(25 * anywhere(random));
    if (i == j) continue;
    rows[i].push_back(static_cast<int>(j));
    rows[j].push_back(static_cast<int>(i));
  }
  const auto pattern = std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph_of_rows(rows)));
  const auto A = random_symmetric<2, double>(pattern, random, 1.1);
  Factor<2, double> factor(A, 1500);
  REQUIRE(factor.factor.parts() > 1);
  CHECK(left_out(*pattern, factor.factor.order()) > 10);
  REQUIRE(factor.factorise(A, detail::linear_solver::FactorKind::incomplete_cholesky));
  const Eigen::VectorXd a = random_stacked(6400, random), b = random_stacked(6400, random);
  const Eigen::VectorXd Pa = factor.solve(a), Pb = factor.solve(b);
  CHECK(Pa.dot(b) == Approx(Pb.dot(a)).epsilon(1e-5));
  CHECK(Pa.dot(a) > 0);
}

TEST_CASE("IncompleteFactor: a breakdown is told and leaves nothing behind") {
  std::mt19937 random(6);
  const auto pattern = random_pattern(200, random);
  const auto good = random_symmetric<3, double>(pattern, random, 1.1);
  Factor<3, double> factor(good);
  REQUIRE(factor.factorise(good, detail::linear_solver::FactorKind::incomplete_cholesky));
  const Eigen::VectorXd b = random_stacked(600, random), x = factor.solve(b);
  auto bad = good;
  bad.diagonal(100) *= 1e-3;
  CHECK(!factor.factorise(bad, detail::linear_solver::FactorKind::incomplete_cholesky));
  CHECK(factor.factorise(bad, detail::linear_solver::FactorKind::symmetric_gauss_seidel));
  bad.diagonal(100)(1, 1) = -1;
  CHECK(!factor.factorise(bad, detail::linear_solver::FactorKind::symmetric_gauss_seidel));
  for (const double number :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    bad = good;
    for (std::ptrdiff_t k = 0; k < pattern->blocks() * 9; ++k) bad.values()[k] = number;
    CHECK(!factor.factorise(bad, detail::linear_solver::FactorKind::incomplete_cholesky));
    CHECK(!factor.factorise(bad, detail::linear_solver::FactorKind::symmetric_gauss_seidel));
    for (std::ptrdiff_t i = 0; i < 100; ++i) bad.diagonal(i) = good.diagonal(i);
    CHECK(!factor.factorise(bad, detail::linear_solver::FactorKind::incomplete_cholesky));
  }
  factor.solve(Eigen::VectorXd::Constant(600, std::numeric_limits<double>::quiet_NaN()));
  REQUIRE(factor.factorise(good, detail::linear_solver::FactorKind::incomplete_cholesky));
  CHECK(factor.solve(b) == x);
}

TEST_CASE("IncompleteFactor: SSOR of a block that is hardly definite takes its diagonal") {
  const auto pattern = levels(2, 1);
  BlockMatrix<2, double> A(pattern);
  A.diagonal(0) << 1, 1 - 1e-9, 1 - 1e-9, 1;
  A.diagonal(1) << 3, 0, 0, 3;
  Factor<2, double> factor(A);
  CHECK(!factor.factorise(A, detail::linear_solver::FactorKind::incomplete_cholesky));
  REQUIRE(factor.factorise(A, detail::linear_solver::FactorKind::symmetric_gauss_seidel));
  CHECK((factor.solve(Eigen::Vector4d(1, 2, 3, 6)) - Eigen::Vector4d(1, 2, 1, 2)).norm() < 1e-6);
}
