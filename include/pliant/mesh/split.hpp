// The division of the cells of a lattice into simplices.
#pragma once

namespace pliant {

// A cell of a lattice as triangles or tetrahedra.
//   alternating  two triangles or five tets; the pattern of a cell is the mirror image of its neighbours', so
//                all (face) diagonals join nodes with i + j (+ k) even. The mesh is its own mirror image
//                along every axis that has an even number of cells: a beam loaded along y does not drift
//                along z.
//   kuhn         two triangles or six tets around the cell's diagonal (0,0,0)-(1,1,1), the same in every
//                cell. All parts of a cubic cell are congruent, but the mesh has a preferred direction. Found
//                in many published runs.
enum class Split { alternating, kuhn };

}  // namespace pliant
