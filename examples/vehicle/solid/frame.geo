// Frame of a light vehicle as a solid: square tubes 40 x 40 mm with walls of 3 mm, welded where they cross, and a solid
// block under each of the four mounts. Lengths in m; x along, y across, z up; the axes are those of ../full.yaml.
SetFactory("OpenCASCADE");

half = 0.020; // of the outer side
inner = 0.017;
rails_y[] = {-0.35, 0.35};
cross_x[] = {0.0, 0.4, 1.0, 1.6, 2.0};
upright_x[] = {0.4, 1.0, 1.6};
upper_cross_x[] = {0.4, 1.6};
top = 0.45;

outside[] = {};
inside[] = {};

// A tube along x, y or z from (x, y, z): its outer box, closed at the ends, and the box that is taken out.
Macro Tube
  outside[] += newv; Box(newv) = {x - half, y - half, z - half, dx + 2 * half, dy + 2 * half, dz + 2 * half};
  inside[] += newv; Box(newv) = {x - inner, y - inner, z - inner, dx + 2 * inner, dy + 2 * inner, dz + 2 * inner};
Return

For i In {0:1}
  y = rails_y[i];
  x = 0; z = 0; dx = 2.0; dy = 0; dz = 0; Call Tube;
  x = 0.4; z = top; dx = 1.2; Call Tube;
  For k In {0:2}
    x = upright_x[k]; z = 0; dx = 0; dz = top; Call Tube;
  EndFor
EndFor
y = -0.35; dx = 0; dy = 0.7; dz = 0;
z = 0;
For k In {0:4}
  x = cross_x[k]; Call Tube;
EndFor
z = top;
For k In {0:1}
  x = upper_cross_x[k]; Call Tube;
EndFor

walls() = BooleanUnion{ Volume{outside[0]}; Delete; }{ Volume{outside[{1:#outside[]-1}]}; Delete; };
hollow() = BooleanUnion{ Volume{inside[0]}; Delete; }{ Volume{inside[{1:#inside[]-1}]}; Delete; };
tubes() = BooleanDifference{ Volume{walls()}; Delete; }{ Volume{hollow()}; Delete; };

// Blocks below the lower rails, 40 x 40 x 20 mm, and the mount in the middle of their lower face.
mount_x[] = {0.4, 0.4, 1.6, 1.6};
mount_y[] = {-0.35, 0.35, -0.35, 0.35};
blocks[] = {};
For k In {0:3}
  blocks[] += newv; Box(newv) = {mount_x[k] - half, mount_y[k] - half, -half - 0.02, 2 * half, 2 * half, 0.02};
EndFor
body() = BooleanUnion{ Volume{tubes()}; Delete; }{ Volume{blocks[]}; Delete; };
points[] = {};
For k In {0:3}
  points[] += newp; Point(newp) = {mount_x[k], mount_y[k], -half - 0.02};
EndFor
all() = BooleanFragments{ Volume{body()}; Delete; }{ Point{points[]}; };

Physical Volume("FRAME") = {body()};
For k In {0:3}
  Physical Point(Sprintf("MOUNT%g", k + 1)) = {points[k]};
EndFor

Mesh.MeshSizeMin = size;
Mesh.MeshSizeMax = size;
Mesh.ElementOrder = 2;
Mesh.SaveGroupsOfNodes = 1;
Mesh.SecondOrderLinear = 1; // every face is plane
