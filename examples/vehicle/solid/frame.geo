// Frame of a light vehicle: the outer skin of square tubes of 40 mm, open to each other where they cross, with a hollow
// block under each of the four mounts, meshed by quadrilaterals. thicken.awk makes hexahedra of them, 3 mm thick.
// Lengths in m; x along, y across, z up; the axes of the tubes are those of ../full/full.yaml.
SetFactory("OpenCASCADE");

half = 0.020; // of the outer side of a tube
top = 0.45;
rails_y[] = {-0.35, 0.35};
cross_x[] = {0.0, 0.4, 1.0, 1.6, 2.0};
upright_x[] = {0.4, 1.0, 1.6};
upper_cross_x[] = {0.4, 1.6};
mount_x[] = {0.4, 0.4, 1.6, 1.6};
mount_y[] = {-0.35, 0.35, -0.35, 0.35};
parts[] = {};

// A tube along x, y or z from (x, y, z), filled.
Macro Tube
  parts[] += newv; Box(newv) = {x - half, y - half, z - half, dx + 2 * half, dy + 2 * half, dz + 2 * half};
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
For k In {0:3}
  x = mount_x[k]; y = mount_y[k]; 
  parts[] += newv; Box(newv) = {x - half, y - half, -half - 0.04, 2 * half, 2 * half, 0.04};
EndFor
body() = BooleanUnion{ Volume{parts[0]}; Delete; }{ Volume{parts[{1:#parts[]-1}]}; Delete; };

// The mounts: a point in the middle of the lower face of each block.
points[] = {};
For k In {0:3}
  points[] += newp; Point(newp) = {mount_x[k], mount_y[k], -half - 0.04};
EndFor
BooleanFragments{ Volume{body()}; Delete; }{ Point{points[]}; Delete; }

Mesh.MeshSizeMin = size;
Mesh.MeshSizeMax = size;
Mesh.Algorithm = 6;
Mesh.RecombineAll = 1;
Mesh.RecombinationAlgorithm = 2; // quadrilaterals only
Mesh.SaveAll = 1;
