model basic -ndm 3 -ndf 6
node 1 0 0 0
node 2 0 0 3 -mass 1 1 1 1 1 1
node 3 1 0 3 -mass 1 1 1 1 1 1
fix 1 1 1 1 1 1 1
uniaxialMaterial ElasticPP 1 2e11 0.002 -0.001 0
section Fiber 1 -GJ 1e6 { patch circ 1 12 3 0 0 0.05 0.25 0 360; layer circ 1 8 3e-4 0 0 0.2 }
section Elastic 2 2e11 0.01 1e-4 2e-4 8e10 1e-5
geomTransf PDelta 1 0 1 0
geomTransf Linear 2 0 0 1
element forceBeamColumn 1 1 2 1 Lobatto 1 5
element elasticBeamColumn 2 2 3 0.01 2e11 8e10 1e-5 2e-5 3e-5 2
element truss 3 1 3 0.01 1
element zeroLength 4 2 3 -mat 1 1 -dir 1 6
rigidDiaphragm 3 2 3
rigidLink beam 2 3
rayleigh 0.1 0 0 0.01
