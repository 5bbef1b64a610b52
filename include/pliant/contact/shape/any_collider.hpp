// A collider whose type is known at run time only.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <pliant/contact/shape/concept.hpp>

namespace pliant::detail::contact {

// Holds any model of Collider by value. Copies share the model, which is immutable.
//   std::vector<AnyCollider<3>> list{HalfSpace{{0, 0, 0}, {0, 1, 0}}, Sphere{{0, 1, 0}, 0.2}};
template <int Dim = 3>
class AnyCollider {
 public:
  static constexpr int dim = Dim;
  using Point = SmallVector<double, Dim>;

  template <class C>
  requires(!std::same_as<C, AnyCollider> && Collider<C, Dim>) AnyCollider(C collider)
      : model_(std::make_shared<const Model<C>>(std::move(collider))) {}

  void check() const { model_->check(); }
  AxisAlignedBox<Dim> bounds() const { return model_->bounds(); }
  // The result of the model; false if it has no such function.
  bool apart(const AxisAlignedBox<Dim>& box, double reach) const { return model_->apart(box, reach); }
  std::optional<SurfacePoint<Dim>> nearest(const Point& x, double reach) const {
    return model_->nearest(x, reach);
  }
  std::optional<SurfaceHit<Dim>> first_hit(const Point& from, const Point& to) const {
    return model_->first_hit(from, to);
  }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual void check() const = 0;
    virtual AxisAlignedBox<Dim> bounds() const = 0;
    virtual bool apart(const AxisAlignedBox<Dim>& box, double reach) const = 0;
    virtual std::optional<SurfacePoint<Dim>> nearest(const Point& x, double reach) const = 0;
    virtual std::optional<SurfaceHit<Dim>> first_hit(const Point& from, const Point& to) const = 0;
  };

  template <class C>
  struct Model final : Interface {
    explicit Model(C model) : collider(std::move(model)) {}
    void check() const override { collider.check(); }
    AxisAlignedBox<Dim> bounds() const override { return collider.bounds(); }
    bool apart([[maybe_unused]] const AxisAlignedBox<Dim>& box,
               [[maybe_unused]] double reach) const override {
      if constexpr (requires { collider.apart(box, reach); }) return collider.apart(box, reach);
      else return false;
    }
    std::optional<SurfacePoint<Dim>> nearest(const Point& x, double reach) const override {
      return collider.nearest(x, reach);
    }
    std::optional<SurfaceHit<Dim>> first_hit(const Point& from, const Point& to) const override {
      return collider.first_hit(from, to);
    }
    C collider;
  };

  std::shared_ptr<const Interface> model_;
};

template <class C>
AnyCollider(const C&) -> AnyCollider<C::dim>;

}  // namespace pliant::detail::contact
