// The whole library in one include. The checkers of testing/ are left out: only tests want them.
#pragma once

#include <pliant/core/aligned_vector.hpp>
#include <pliant/core/error.hpp>
#include <pliant/core/isa.hpp>
#include <pliant/core/lane.hpp>
#include <pliant/core/matrix.hpp>
#include <pliant/core/node_vector.hpp>
#include <pliant/core/parallel.hpp>
#include <pliant/core/tensor.hpp>
#include <pliant/element/concept.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/concept.hpp>
#include <pliant/energy/isotropic.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/projection.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/energy/tangent.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/measure.hpp>
#include <pliant/mesh/mesh.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/version.hpp>
