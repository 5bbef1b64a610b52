// The claims of an example, which are checked.
#pragma once

#include <cstdio>

class Facts {
 public:
  void expect(bool fact, const char* what) {
    if (!fact) std::printf("FAILED: %s\n", what);
    all_so_ = all_so_ && fact;
  }

  // Of the program: 0 if all claims hold.
  int exit_code() const { return all_so_ ? 0 : 1; }

 private:
  bool all_so_ = true;
};
