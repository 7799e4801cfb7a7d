% The round robin in Octave or MATLAB: first-order hold by the matrix exponential, exact for straight lines between samples.
% octave-cli answer.m   prints the answers as JSON
M = diag([20e3 16e3]);
K = [18e6+14e6 -14e6; -14e6 14e6];
C = 0.6*M + 1e-3*K;
h = 0.01;
table = dlmread('ground.csv', ',', 2, 0);
a = [table(:, 2); zeros(200, 1)];
n = numel(a);
A = [zeros(2) eye(2); -M\K -M\C];
b = [0; 0; -1; -1];
% [x; a; slope] over a step: x' = A x + b a, a' = slope
E = expm(h*[A b zeros(4, 1); zeros(1, 4) 0 1; zeros(1, 6)]);
x = zeros(4, n);
for k = 1:n-1
  y = E*[x(:, k); a(k); (a(k + 1) - a(k))/h];
  x(:, k + 1) = y(1:4);
end
u = x(1:2, :);
[peak2, at] = max(abs(u(2, :)));
printf('{"peak_u1_m": %.12g, "peak_u2_m": %.12g, "time_of_peak_u2_s": %.12g, "rms_u2_m": %.12g, "end_u2_m": %.12g, "peak_base_spring_N": %.12g}\n', ...
       max(abs(u(1, :))), peak2, (at - 1)*h, sqrt(mean(u(2, :).^2)), u(2, end), 18e6*max(abs(u(1, :))));
