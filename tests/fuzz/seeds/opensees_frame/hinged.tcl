model BasicBuilder -ndm 2 -ndf 3
uniaxialMaterial Hysteretic 1 500000.0 0.0009433962264150943 600000.0 0.02 300000.0 0.08 -500000.0 -0.0009433962264150943 -600000.0 -0.02 -300000.0 -0.08 0.7 0.3 0 0
uniaxialMaterial Hysteretic 2 290000.0 0.0008529411764705882 350000.0 0.02 150000.0 0.08 -290000.0 -0.0008529411764705882 -350000.0 -0.02 -150000.0 -0.08 0.7 0.3 0 0
geomTransf PDelta 1
geomTransf Linear 2
node 0 0.0 0
fix 0 1 1 1
node 1 0.0 3.6
mass 1 12000.0 12000.0 2000
node 2 0.0 6.8
mass 2 12000.0 12000.0 2000
node 3 0.0 10
mass 3 12000.0 12000.0 2000
node 10 6.0 0
fix 10 1 1 1
node 11 6.0 3.6
mass 11 24000.0 24000.0 2000
node 12 6.0 6.8
mass 12 24000.0 24000.0 2000
node 13 6.0 10
mass 13 24000.0 24000.0 2000
node 20 12.0 0
fix 20 1 1 1
node 21 12.0 3.6
mass 21 12000.0 12000.0 2000
node 22 12.0 6.8
mass 22 12000.0 12000.0 2000
node 23 12.0 10
mass 23 12000.0 12000.0 2000
node 1001 0.0 0
equalDOF 0 1001 1 2
element zeroLength 1001 0 1001 -mat 1 -dir 6
element elasticBeamColumn 1 1001 1 0.1 30000000000.0 0.0017666666666666666 1
element elasticBeamColumn 2 1 2 0.1 30000000000.0 0.0017666666666666666 1
element elasticBeamColumn 3 2 3 0.1 30000000000.0 0.0017666666666666666 1
node 1002 6.0 0
equalDOF 10 1002 1 2
element zeroLength 1002 10 1002 -mat 1 -dir 6
element elasticBeamColumn 4 1002 11 0.1 30000000000.0 0.0017666666666666666 1
element elasticBeamColumn 5 11 12 0.1 30000000000.0 0.0017666666666666666 1
element elasticBeamColumn 6 12 13 0.1 30000000000.0 0.0017666666666666666 1
node 1003 12.0 0
equalDOF 20 1003 1 2
element zeroLength 1003 20 1003 -mat 1 -dir 6
element elasticBeamColumn 7 1003 21 0.1 30000000000.0 0.0017666666666666666 1
element elasticBeamColumn 8 21 22 0.1 30000000000.0 0.0017666666666666666 1
element elasticBeamColumn 9 22 23 0.1 30000000000.0 0.0017666666666666666 1
node 1004 0.0 3.6
equalDOF 1 1004 1 2
element zeroLength 1004 1 1004 -mat 2 -dir 6
node 1005 6.0 3.6
equalDOF 11 1005 1 2
element zeroLength 1005 11 1005 -mat 2 -dir 6
element elasticBeamColumn 10 1004 1005 0.05 30000000000.0 0.0011333333333333334 2
node 1006 6.0 3.6
equalDOF 11 1006 1 2
element zeroLength 1006 11 1006 -mat 2 -dir 6
node 1007 12.0 3.6
equalDOF 21 1007 1 2
element zeroLength 1007 21 1007 -mat 2 -dir 6
element elasticBeamColumn 11 1006 1007 0.05 30000000000.0 0.0011333333333333334 2
node 1008 0.0 6.8
equalDOF 2 1008 1 2
element zeroLength 1008 2 1008 -mat 2 -dir 6
node 1009 6.0 6.8
equalDOF 12 1009 1 2
element zeroLength 1009 12 1009 -mat 2 -dir 6
element elasticBeamColumn 12 1008 1009 0.05 30000000000.0 0.0011333333333333334 2
node 1010 6.0 6.8
equalDOF 12 1010 1 2
element zeroLength 1010 12 1010 -mat 2 -dir 6
node 1011 12.0 6.8
equalDOF 22 1011 1 2
element zeroLength 1011 22 1011 -mat 2 -dir 6
element elasticBeamColumn 13 1010 1011 0.05 30000000000.0 0.0011333333333333334 2
node 1012 0.0 10
equalDOF 3 1012 1 2
element zeroLength 1012 3 1012 -mat 2 -dir 6
node 1013 6.0 10
equalDOF 13 1013 1 2
element zeroLength 1013 13 1013 -mat 2 -dir 6
element elasticBeamColumn 14 1012 1013 0.05 30000000000.0 0.0011333333333333334 2
node 1014 6.0 10
equalDOF 13 1014 1 2
element zeroLength 1014 13 1014 -mat 2 -dir 6
node 1015 12.0 10
equalDOF 23 1015 1 2
element zeroLength 1015 23 1015 -mat 2 -dir 6
element elasticBeamColumn 15 1014 1015 0.05 30000000000.0 0.0011333333333333334 2
rayleigh 0.5 0 0 0
