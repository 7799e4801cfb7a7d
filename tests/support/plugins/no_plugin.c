/* A shared object that is no plugin. */
extern const int something;
const int something = 3;
