// One body on 1, 2, 3 and 7 threads: every number has the same bits, and they are the right numbers.
#include "support/threads.hpp"

#include "assembly/brute_force.hpp"
#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <pliant/assembly/system.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

const Lame material = Lame::from_young_poisson(3, 0.4);

// 4800 tets in random order: 1200 batches of doubles, 600 of floats, enough for seven threads.
Mesh<Tet4> large_mesh() {
  std::mt19937 random(1);
  Mesh<Tet4> mesh = make_box<Tet4>({.lengths = {2, 1, 1}, .cells = {10, 10, 8}, .split = Split::kuhn});
  const std::vector<int> order = brute_force::random_permutation(mesh.element_count(), random);
  const ElementMatrix<Tet4> elements = mesh.elements;
  for (int e = 0; e < mesh.element_count(); ++e) {
    mesh.elements.col(e) = elements.col(order[static_cast<std::size_t>(e)]);
  }
  return mesh;
}

// One row of g and A at a time would be too slow with dense matrices; this is the gradient and the product
// K y of brute force.
template <class Scalar>
std::pair<Eigen::VectorXd, Eigen::VectorXd> gradient_and_product(const Mesh<Tet4, Scalar>& mesh,
                                                                 const StableNeoHookean& energy,
                                                                 const Eigen::MatrixXd& x,
                                                                 const Eigen::MatrixXd& y) {
  Eigen::VectorXd g = Eigen::VectorXd::Zero(x.size()), Ky = g;
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    Eigen::Matrix3d rest, now, direction;
    for (int a = 0; a < 3; ++a) {
      const int i = mesh.elements(a + 1, e), o = mesh.elements(0, e);
      rest.col(a) = (mesh.nodes.col(i) - mesh.nodes.col(o)).template cast<double>();
      now.col(a) = x.col(i) - x.col(o);
      direction.col(a) = y.col(i) - y.col(o);
    }
    const Eigen::Matrix3d inverse = rest.inverse(), F = now * inverse, dF = direction * inverse;
    const double volume = rest.determinant() / 6;
    const Eigen::Matrix3d P = volume * energy.pk1(F);
    const Eigen::Matrix<double, 9, 1> product =
        volume * energy.hessian(F) * Eigen::Map<const Eigen::Matrix<double, 9, 1>>(dF.data());
    const Eigen::Matrix3d dP = Eigen::Map<const Eigen::Matrix3d>(product.data());
    for (int a = 0; a < 4; ++a) {
      const Eigen::Vector3d grad_N = a == 0 ? Eigen::Vector3d(-inverse.colwise().sum().transpose())
                                            : Eigen::Vector3d(inverse.row(a - 1));
      g.segment<3>(3 * mesh.elements(a, e)) += P * grad_N;
      Ky.segment<3>(3 * mesh.elements(a, e)) += dP * grad_N;
    }
  }
  return {g, Ky};
}

}  // namespace

TEMPLATE_TEST_CASE("Energy, gradient, tangent and mass: the same bits on any number of threads", "", double,
                   float) {
  const Mesh<Tet4, TestType> mesh = brute_force::with_scalar<TestType>(large_mesh());
  std::mt19937 random(2);
  const Eigen::MatrixXd shape =
      brute_force::perturbed(mesh.nodes, 0.03, random).template cast<TestType>().template cast<double>();
  const StableNeoHookean energy(material);

  const WithThreads one(1);
  ElasticSystem system{Solid(mesh, energy, Density{1000})};
  auto x = system.make_vector(), elsewhere = x, g = x, h = x;
  auto A = system.make_matrix();
  system.to_internal(shape, x);
  system.to_internal(2 * shape, elsewhere);
  for (const Projection projection : {Projection::none, Projection::clamp}) {
    set_thread_count(1);
    const double psi = system.energy(x);
    const double with_gradient = system.gradient(x, h);
    const double with_tangent = system.tangent(x, projection, TestType(1), g, A);
    for (const int threads : thread_counts) {
      INFO(threads << " threads, projection " << static_cast<int>(projection));
      set_thread_count(threads);
      ElasticSystem fresh{Solid(mesh, energy, Density{1000})};
      for (auto* other :
           {&system, &fresh}) {  // one that has known other numbers of threads, one that has not
        auto g2 = other->make_vector(), h2 = other->make_vector();
        auto A2 = other->make_matrix();
        for (std::ptrdiff_t i = 0; i < g2.nodes(); ++i) {  // whatever stood there is overwritten
          g2.node(i).setConstant(TestType(3));
          h2.node(i).setConstant(TestType(3));
          A2.diagonal(i).setConstant(TestType(3));
        }
        CHECK(same_bits(other->energy(x), psi));
        other->energy(elsewhere);  // no number of one evaluation serves the next
        CHECK(same_bits(other->gradient(x, h2), with_gradient));
        other->energy(elsewhere);
        CHECK(same_bits(h2, h));
        CHECK(same_bits(other->tangent(x, projection, TestType(1), g2, A2), with_tangent));
        CHECK(same_bits(g2, g));
        CHECK(same_bits(A2, A));
        CHECK(same_bits(other->mass(), system.mass()));
      }
    }
  }

  set_thread_count(3);
  system.tangent(x, Projection::none, TestType(1), g, A);
  const auto y = random_vector<3, TestType>(system.node_count(), random);
  NodeMatrix<TestType, 3> user(3, system.node_count());
  system.to_user(y, user);
  const auto [gradient, product] =
      gradient_and_product(mesh, energy, shape, Eigen::MatrixXd(user.template cast<double>()));
  const double tolerance = std::is_same_v<TestType, float> ? 2e-5 : 1e-12;
  const auto in_user_order = [&](const auto& vector) {
    system.to_user(vector, user);
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::Matrix<TestType, Eigen::Dynamic, 1>>(user.data(), user.size())
            .template cast<double>());
  };
  CHECK((in_user_order(g) - gradient).cwiseAbs().maxCoeff() <= tolerance * gradient.cwiseAbs().maxCoeff());
  auto Ay = system.make_vector();
  A.multiply(y, Ay);
  CHECK((in_user_order(Ay) - product).cwiseAbs().maxCoeff() <= tolerance * product.cwiseAbs().maxCoeff());
}
