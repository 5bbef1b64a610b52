// Empty: CMake builds a precompiled header only for a target with a unit that uses it, and main.cpp cannot.
