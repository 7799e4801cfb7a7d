# portal with a fibre column, a force-based beam and a pinching hinge; kN, mm
wipe
model BasicBuilder -ndm 2 -ndf 3
node 1 0.0 0.0
node 2 0.0 3000.0 -mass 0.02 0.02 500.0
node 3 6000 3000 ; node 4 6000 0
node 5 6000 3000
mass 3 0.02 0.02 500
mass 5 0.0001 0.0001 500
fix 1 1 1 1
fix 4 1 1 1
equalDOF 3 5 1 2
uniaxialMaterial Steel02 1 0.45 200 0.01 20 0.925 0.15
uniaxialMaterial Concrete01 2 -0.028 -0.002 -0.0056 -0.006
uniaxialMaterial Concrete02 3 -0.036 -0.0035 -0.020 -0.020 0.1 0.0025 1.5
uniaxialMaterial Hysteretic 4 180e3 0.0006 220e3 0.02 90e3 0.08 \
   -180e3 -0.0006 -220e3 -0.02 -90e3 -0.08 0.7 0.3 0 0
section Fiber 1 -GJ 1e8 {
   patch rect 3 14 1 -210 -160 210 160   ;# core
   patch rect 2 2 1 210 -200 250 200
   patch rect 2 2 1 -250 -200 -210 200
   layer straight 1 3 314.159 210 -160 210 160
   layer straight 1 3 314.159 -210 -160 -210 160
   fiber 0.0 160.0 314.159 1
}
geomTransf PDelta 1
geomTransf Linear 2
geomTransf Corotational 3
beamIntegration Lobatto 7 1 5
element forceBeamColumn 1 1 2 1 7 -mass 1e-6
element dispBeamColumn 2 4 3 5 1 3
element elasticBeamColumn 3 2 5 120000 30 1.8e9 2
element zeroLength 4 3 5 -mat 4 -dir 6
rayleigh 0.25 0.0 0.002 0.0
pattern Plain 1 Linear {
  load 2 0 -800 0
}
recorder Node -file x.out -node 2 -dof 1 disp
