// Dense matrix types. All carry Eigen::DontAlign: their layout and allocation then do not depend on the
// instruction set a translation unit is compiled for, so units with different flags can share them.
#pragma once

#include <Eigen/Core>

namespace pliant {

// A small matrix of scalars or lanes, column-major.
template <class T, int Rows, int Columns>
using SmallMatrix = Eigen::Matrix<T, Rows, Columns, Eigen::DontAlign>;

template <class T, int Size>
using SmallVector = SmallMatrix<T, Size, 1>;

// One column per node (dim x #nodes): positions [m], velocities [m/s], forces [N].
template <class Scalar, int Dim>
using NodeMatrix = Eigen::Matrix<Scalar, Dim, Eigen::Dynamic, Eigen::DontAlign>;

}  // namespace pliant
