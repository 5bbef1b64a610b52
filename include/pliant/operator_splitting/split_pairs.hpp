// The elements of an operator-splitting step, in pairs that share a face.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <pliant/assembly/element_batches.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/disjoint_sets.hpp>
#include <pliant/operator_splitting/split_mesh.hpp>
#include <pliant/simd/rows.hpp>

namespace pliant::detail::operator_splitting {

// Two tetrahedra that share a face have five nodes in place of eight. Gathering nodes and scattering results
// takes as long as the arithmetic between, so that pairs save time. A drawing is in docs/architecture.md.
template <class Scalar>
struct SplitPair {
  std::array<int, 5> nodes;  // the face, then the fourth nodes of the first and of the second element
  std::array<SplitElement<Scalar>, 2> elements;  // their nodes in this order
  bool alone;  // the first element has no partner, and the second is a copy of it
};

// The index in the pair of node a of element k.
constexpr int pair_node(int k, int a) { return a < 3 ? a : 3 + k; }

// The number of pairs in lanes: as many as fit into a register, but at least into 32 bytes.
template <class Scalar, Isa isa>
inline constexpr int pairs_width = (isa == Isa::avx512 ? 2 : 1) * assembly::kernel_width<Scalar>;

template <class Scalar>
bool have_same_nodes(const SplitElement<Scalar>& a, const SplitElement<Scalar>& b) {
  return std::is_permutation(a.nodes.begin(), a.nodes.end(), b.nodes.begin());
}

// For each element its neighbours across its faces, -1: none. If more than two elements share a face, two of
// them are neighbours there. Elements with the same four nodes (of bodies welded onto each other) are not
// neighbours.
template <class Scalar>
std::vector<std::array<int, 4>> neighbours_by_faces(const std::vector<SplitElement<Scalar>>& elements) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const auto for_each_face = [&](auto&& take) {
    for (int e = 0; e < std::ssize(elements); ++e) {
      for (int side = 0; side < 4; ++side) {
        mesh::NodeTuple<3> face{{}, e, side};
        for (int a = 0; a < 3; ++a) face.nodes[at(a)] = elements[at(e)].nodes[at(a < side ? a : a + 1)];
        std::sort(face.nodes.begin(), face.nodes.end());
        take(face);
      }
    }
  };
  int nodes = 0;
  for (const auto& e : elements)
    nodes = std::max(nodes, 1 + *std::max_element(e.nodes.begin(), e.nodes.end()));
  std::vector<std::array<int, 4>> result(elements.size(), {-1, -1, -1, -1});
  mesh::group_by_nodes<3>(nodes, for_each_face, [&](std::span<const mesh::NodeTuple<3>> faces) {
    if (faces.size() < 2 || have_same_nodes(elements[at(faces[0].element)], elements[at(faces[1].element)]))
      return;
    result[at(faces[0].element)][at(faces[0].face)] = faces[1].element;
    result[at(faces[1].element)][at(faces[1].face)] = faces[0].element;
  });
  return result;
}

// For each element its partner, -1: none. Greedy matching: the element with the fewest free neighbours comes
// first, and its partner is the neighbour with the fewest free neighbours.
inline std::vector<int> partners(const std::vector<std::array<int, 4>>& neighbours) {
  const auto at = [](int e) { return static_cast<std::size_t>(e); };
  std::vector<int> partner(neighbours.size(), -1), left(neighbours.size(), 0);
  std::array<std::vector<int>, 5> waiting;  // by an earlier number of free neighbours
  for (std::size_t e = neighbours.size(); e-- > 0;) {
    left[e] = static_cast<int>(
        std::count_if(neighbours[e].begin(), neighbours[e].end(), [](int other) { return other >= 0; }));
    waiting[at(left[e])].push_back(static_cast<int>(e));
  }
  const auto is_free = [&](int e) { return e >= 0 && partner[at(e)] < 0; };
  for (std::size_t fewest = 1; fewest < waiting.size();) {
    if (waiting[fewest].empty()) {
      ++fewest;
      continue;
    }
    const int e = waiting[fewest].back();
    waiting[fewest].pop_back();
    if (!is_free(e) || at(left[at(e)]) != fewest) continue;
    int best = -1;
    for (const int other : neighbours[at(e)]) {
      if (is_free(other) && (best < 0 || left[at(other)] < left[at(best)])) best = other;
    }
    partner[at(e)] = best;
    partner[at(best)] = e;
    for (const int taken : {e, best}) {
      for (const int other : neighbours[at(taken)]) {
        if (!is_free(other)) continue;
        const int now = --left[at(other)];
        waiting[at(now)].push_back(other);
        if (now > 0) fewest = std::min(fewest, at(now));
      }
    }
  }
  return partner;
}

// The element with its nodes reordered: first those of `face`, then the fourth node.
template <class Scalar>
SplitElement<Scalar> with_nodes(const SplitElement<Scalar>& e, const std::array<int, 3>& face) {
  SplitElement<Scalar> result = e;
  const auto move = [&](std::ptrdiff_t from, int to) {
    result.nodes[static_cast<std::size_t>(to)] = e.nodes[static_cast<std::size_t>(from)];
    result.gradients.row(to) = e.gradients.row(from);
  };
  for (int a = 0; a < 3; ++a)
    move(std::find(e.nodes.begin(), e.nodes.end(), face[static_cast<std::size_t>(a)]) - e.nodes.begin(), a);
  move(std::find_if(e.nodes.begin(), e.nodes.end(),
                    [&](int node) { return std::find(face.begin(), face.end(), node) == face.end(); }) -
           e.nodes.begin(),
       3);
  return result;
}

struct FreeNode {
  int last_group = -1;  // with a pair of this node
  int left = 0;         // its pairs that are in no group yet
};

// Divides `pairs`, nearly in their order, into groups of at most `size` pairs without common free nodes. Each
// group is chosen from the next few pairs, those whose nodes have most remaining pairs first; otherwise these
// would be left over for small groups at the end. No other pairs have these nodes.
template <class Scalar>
std::vector<std::vector<std::size_t>> node_disjoint_groups(const std::vector<SplitPair<Scalar>>& all,
                                                           const std::vector<std::size_t>& pairs,
                                                           std::vector<FreeNode>& free_nodes,
                                                           std::size_t size) {
  constexpr std::size_t window = 256;  // pairs that a group chooses from
  struct Candidate {
    std::size_t pair;  // its number in `pairs`
    int left;
  };
  const auto for_each_free_node = [&](std::size_t k, auto&& run) {
    for (const int node : all[pairs[k]].nodes) {
      if (node < std::ssize(free_nodes)) run(free_nodes[static_cast<std::size_t>(node)]);
    }
  };
  for (std::size_t k = 0; k < pairs.size(); ++k) for_each_free_node(k, [](FreeNode& node) { ++node.left; });

  std::vector<std::vector<std::size_t>> groups;
  std::vector<char> taken(pairs.size(), 0);
  std::vector<Candidate> candidates;
  std::size_t head = 0;
  for (int number = 0; head < pairs.size(); ++number) {
    candidates.clear();
    for (std::size_t k = head; k < pairs.size() && candidates.size() < window; ++k) {
      if (taken[k] != 0) continue;
      int left = 0;
      for_each_free_node(k, [&](const FreeNode& node) { left += node.left; });
      candidates.push_back({k, left});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.left > b.left; });
    std::vector<std::size_t>& group = groups.emplace_back();
    for (const Candidate& candidate : candidates) {
      bool clear = true;
      for_each_free_node(candidate.pair,
                         [&](const FreeNode& node) { clear = clear && node.last_group != number; });
      if (!clear) continue;
      for_each_free_node(candidate.pair, [&](FreeNode& node) {
        node.last_group = number;
        --node.left;
      });
      taken[candidate.pair] = 1;
      group.push_back(pairs[candidate.pair]);
      if (group.size() == size) break;
    }
    while (head < pairs.size() && taken[head] != 0) ++head;
  }
  return groups;
}

// The numbers of the pairs of each piece; pairs of different pieces share no free node.
template <class Scalar>
std::vector<std::vector<std::size_t>> pieces_of_pairs(const std::vector<SplitPair<Scalar>>& pairs,
                                                      int first_fixed) {
  mesh::DisjointSets sets(first_fixed);
  const auto free_node = [&](const SplitPair<Scalar>& pair) {
    const auto found =
        std::find_if(pair.nodes.begin(), pair.nodes.end(), [&](int n) { return n < first_fixed; });
    return found == pair.nodes.end() ? -1 : *found;
  };
  for (const auto& pair : pairs) {
    for (const int node : pair.nodes) {
      if (node < first_fixed) sets.join(free_node(pair), node);
    }
  }
  std::vector<std::vector<std::size_t>> pieces;
  std::vector<int> piece_of(static_cast<std::size_t>(first_fixed), -1);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const int node = free_node(pairs[k]);
    int none = -1;
    int& piece = node < 0 ? none : piece_of[static_cast<std::size_t>(sets.representative(node))];
    if (piece < 0) {
      piece = static_cast<int>(pieces.size());
      pieces.emplace_back();
    }
    pieces[static_cast<std::size_t>(piece)].push_back(k);
  }
  return pieces;
}

// One number for each lane, or one for all lanes.
template <class T, class Scalar, std::size_t width>
PLIANT_INLINE T lanes_of(const Scalar (&numbers)[width]) {
  if constexpr (width == 1) return T(numbers[0]);
  else return load<T>(numbers);
}

// The x, y and z of one node for each lane: from rows of four numbers at different offsets, or (width 1) from
// the columns of one node that has all lanes.
template <class T, class Scalar, std::size_t width>
PLIANT_INLINE void load_nodes(const Scalar* x, const int (&offsets)[width], T (&columns)[4]) {
  if constexpr (width == 1) load_columns<3>(x + offsets[0], columns);
  else gather_rows(x, offsets, columns);
}
template <class T, class Scalar, std::size_t width>
PLIANT_INLINE void store_nodes(const T (&columns)[4], Scalar* x, const int (&offsets)[width]) {
  if constexpr (width == 1) store_columns<3>(columns, x + offsets[0]);
  else scatter_rows(columns, x, offsets);
}
template <class T, class Scalar, std::size_t width>
PLIANT_INLINE void add_to_nodes(const T (&columns)[4], Scalar* x, const int (&offsets)[width]) {
  if constexpr (width == 1) add_columns<3>(columns, x + offsets[0]);
  else add_rows(columns, x, offsets);
}

// The elements in pairs, as many as the matching finds, in the order of their first elements.
template <class Scalar>
std::vector<SplitPair<Scalar>> pairs_of(const std::vector<SplitElement<Scalar>>& elements) {
  const std::vector<int> partner = partners(neighbours_by_faces(elements));
  std::vector<SplitPair<Scalar>> pairs;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const SplitElement<Scalar>& first = elements[e];
    const bool alone = partner[e] < 0;
    if (!alone && partner[e] < static_cast<int>(e)) continue;
    const SplitElement<Scalar>& second = alone ? first : elements[static_cast<std::size_t>(partner[e])];
    std::array<int, 3> face{};
    for (std::size_t a = 0, taken = 0; a < 4 && taken < 3; ++a) {
      if (std::find(second.nodes.begin(), second.nodes.end(), first.nodes[a]) != second.nodes.end())
        face[taken++] = first.nodes[a];
    }
    SplitPair<Scalar> pair{{}, {with_nodes(first, face), with_nodes(second, face)}, alone};
    for (std::size_t a = 0; a < 4; ++a) pair.nodes[a] = pair.elements[0].nodes[a];
    pair.nodes[4] = pair.elements[1].nodes[3];
    pairs.push_back(pair);
  }
  return pairs;
}

// The pairs, nearly in their order, in batches of at most `size` pairs, of which no two share a node below
// `first_fixed`. The order of the pairs of a piece does not depend on other pieces.
template <class Scalar>
std::vector<std::vector<SplitPair<Scalar>>> batches_of(const std::vector<SplitPair<Scalar>>& pairs,
                                                       int first_fixed, int size) {
  using Groups = std::vector<std::vector<std::size_t>>;
  struct Piece {
    Groups groups;
    std::size_t group = 0, first = 0;  // the next pair
  };
  std::vector<FreeNode> free_nodes(static_cast<std::size_t>(first_fixed));
  std::vector<Piece> waiting;  // the next one last
  for (const auto& piece : pieces_of_pairs(pairs, first_fixed))
    waiting.push_back({node_disjoint_groups(pairs, piece, free_nodes, static_cast<std::size_t>(size))});
  std::reverse(waiting.begin(), waiting.end());

  std::vector<std::vector<SplitPair<Scalar>>> batches;
  std::vector<Piece> again;
  while (!waiting.empty()) {
    auto& batch = batches.emplace_back();
    while (!waiting.empty() && static_cast<int>(batch.size()) < size) {
      Piece piece = std::move(waiting.back());
      waiting.pop_back();
      const auto& group = piece.groups[piece.group];
      while (piece.first < group.size() && static_cast<int>(batch.size()) < size)
        batch.push_back(pairs[group[piece.first++]]);
      if (piece.first == group.size()) {
        ++piece.group;
        piece.first = 0;
      }
      if (piece.group < piece.groups.size()) again.push_back(std::move(piece));
    }
    for (; !again.empty(); again.pop_back()) waiting.push_back(std::move(again.back()));
  }
  return batches;
}

}  // namespace pliant::detail::operator_splitting
