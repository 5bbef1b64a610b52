// Systems whose matrices couple more nodes than elements do.
#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <pliant/assembly/system.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/sliding.hpp>
#include <pliant/constraint/together.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/free_bodies.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_rectangle.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/solid/bodies.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

std::vector<NodePair> random_pairs(std::ptrdiff_t nodes, int count, std::mt19937& random) {
  std::uniform_int_distribution<int> node(0, static_cast<int>(nodes) - 1);
  std::vector<NodePair> pairs(static_cast<std::size_t>(count));
  for (NodePair& pair : pairs) pair = {node(random), node(random)};
  return pairs;
}

// The blocks of the elements have the same bits, those of pairs are zero.
template <class Matrix>
void same_elements(const Matrix& A, const Matrix& elements) {
  const BlockPattern& pattern = A.pattern();
  for (int i = 0; i < A.rows(); ++i) {
    for (int k = pattern.row_begin[static_cast<std::size_t>(i)];
         k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
      const int j = pattern.columns[static_cast<std::size_t>(k)];
      if (!elements.pattern().has(i, j)) {
        REQUIRE(A.block(k).isZero(0));
      } else {
        REQUIRE(std::memcmp(A.block(k).data(), elements.block(elements.pattern().slot(i, j)).data(),
                            Matrix::block_size * sizeof(typename Matrix::Scalar)) == 0);
      }
    }
  }
}

template <class SolidType>
void elements_find_their_places(const SolidType& solid) {
  using System = ElasticSystem<SolidType>;
  using Scalar = typename System::Scalar;
  std::mt19937 random(1);
  const System plain(solid);
  const auto nodes = plain.node_count();
  const auto displacement = random_vector<System::dim, Scalar>(nodes, random);
  const auto velocity = random_vector<System::dim, Scalar>(nodes, random);
  auto x = plain.make_vector();
  x.set_sum(plain.rest(), Scalar(0.01f), displacement);
  const auto fill = [&](System& system, auto& g, auto& A) {
    double energy = system.tangent(x, Projection::clamp, Scalar(2), g, A);
    const Straining<const typename System::Vector*> straining{
        .start = &x, .displacement = &displacement, .time = 0.1, .velocity = &velocity, .factor = 1};
    energy += system.add_damping(straining, Projection::clamp, g, &A);
    return energy;
  };
  for (const int threads : thread_counts) {
    INFO(threads << " threads");
    const WithThreads with(threads);
    System system(solid);
    auto g = system.make_vector(), g_with_pairs = g;
    auto elements = system.make_matrix(), A = elements;
    const double energy = fill(system, g, elements);
    const auto before = system.matrix_pattern();
    CHECK(&system.pattern() == before.get());
    CHECK(!system.require_pairs({}));
    for (int round = 0; round < 3; ++round) {
      const auto pairs = random_pairs(nodes, 40, random);
      CHECK(system.require_pairs(pairs));
      CHECK(!system.require_pairs(pairs));
      CHECK(system.matrix_pattern() != before);
      CHECK(&system.pattern() == before.get());
      CHECK(same_bits(fill(system, g_with_pairs, A), energy));
      CHECK(A.shared_pattern() == system.matrix_pattern());
      CHECK(same_bits(g_with_pairs, g));
      same_elements(A, elements);
    }
  }
}

}  // namespace

TEST_CASE("ElasticSystem: elements find their places in a matrix with pairs") {
  const Rayleigh damping{.alpha = 0.1, .beta = 0.01};
  const StableNeoHookean rubber(Lame::from_young_poisson(1e5, 0.4));
  elements_find_their_places(
      Solid(make_box<Tet4>({.cells = {8, 6, 5}, .split = Split::kuhn}), rubber, Density{1000}, damping));
  elements_find_their_places(
      Solid(make_rectangle<Tri3, float>({.cells = {30, 20}}), rubber, Density{1000}, damping));
  const auto block = make_box<Hex8>({.cells = {4, 5, 6}});
  elements_find_their_places(Bodies(Solid(block, rubber, Density{1000}, damping),
                                    Solid(make_box<Tet4>({.cells = {3, 3, 3}, .split = Split::kuhn}),
                                          LinearElastic(Lame::from_young_poisson(1e4, 0.3)), Density{500})));
}

TEST_CASE("Filter: takes the rows and columns of held nodes out of pairs too") {
  const auto mesh = make_box<Tet4>({.cells = {3, 3, 3}, .split = Split::kuhn});
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000});
  ElasticSystem system(solid);
  NodeConstraints<3> held(mesh.node_count());
  Together(Pinned(nodes_where(mesh, [](const auto& X) { return X.y() < 1e-9; })),
           Sliding::on_plane(nodes_where(mesh, [](const auto& X) { return X.y() > 1 - 1e-9; }), {0, 1, 1}))
      .describe(held);
  const Filter<3, double> filter(held, system);  // of the elements, so far
  std::mt19937 random(2);
  for (int round = 0; round < 2; ++round) {
    system.require_pairs(random_pairs(mesh.node_count(), 200, random));
    auto A = random_symmetric<3, double>(system.matrix_pattern(), random, 1.1);
    // S, column by column.
    Eigen::MatrixXd S = Eigen::MatrixXd::Identity(3 * A.rows(), 3 * A.rows());
    for (Eigen::Index k = 0; k < S.cols(); ++k) {
      auto column = node_vector<3, double>(S.col(k));
      filter.apply(column);
      S.col(k) = stacked(column);
    }
    const Eigen::MatrixXd expected = S * dense(A) * S;
    filter.apply(A);
    CHECK((S * dense(A) * S - expected).norm() <= 1e-12 * expected.norm());
    CHECK((dense(A) * S - expected).norm() <= 1e-12 * expected.norm());
  }
}

TEST_CASE("FreeBodies: pairs join no bodies") {
  const auto mesh = make_box<Tet4>({.cells = {1, 1, 1}, .split = Split::kuhn});
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000});
  ElasticSystem system(Bodies(solid, solid));
  NodeConstraints<3> held(16);
  Pinned(std::vector<int>{0, 1, 2, 3}).describe(held);
  system.require_pairs({{0, 15}, {7, 8}});
  detail::integrator::FreeBodies<NodeVector<3, double>> bodies;
  bodies.find(*system.matrix_pattern());
  const NodeMatrix<double, 3> rest = NodeMatrix<double, 3>::Zero(3, 16);
  bodies.follow_constraints(Filter<3, double>(held, rest, system.numbering(), system.pattern()));
  int moving = 0;
  for (int i = 0; i < 16; ++i) moving += bodies.moves(i);
  CHECK(moving == 8);
}
