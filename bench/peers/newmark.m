% A peer: Newmark's method (beta = 1/4, gamma = 1/2) in Octave, sparse Cholesky factor made once.
% usage: octave-cli newmark.m DIR    (a folder that `yoke bench --model NAME -o DIR` wrote)
1;

function A = read_matrix(path)
  file = fopen(path, 'r');
  fgetl(file);
  counts = fscanf(file, '%d', 3);
  entries = fscanf(file, '%f', [3, counts(3)]);
  fclose(file);
  L = sparse(entries(1, :), entries(2, :), entries(3, :), counts(1), counts(2));
  A = L + tril(L, -1)';
end

folder = argv(){1};
M = read_matrix([folder '/mass.mtx']);
C = read_matrix([folder '/damping.mtx']);
K = read_matrix([folder '/stiffness.mtx']);
file = fopen([folder '/model.txt'], 'r');
numbers = textscan(file, '%s %f');
fclose(file);
n = numbers{2}(1); h = numbers{2}(2); steps = numbers{2}(3); f = numbers{2}(4) * ones(n, 1);

[R, flag, Q] = chol(M + h / 2 * C + h * h / 4 * K);
if flag != 0
  error('the matrix is not positive definite');
end
Rt = R';
Qt = Q';
u = zeros(n, 1); v = zeros(n, 1); a = M \ f;
peak = 0;
parts = zeros(10, 1);
part = floor(steps / 10);
for p = 1:10
  spent = 0;
  for k = 1:part
    begin = cputime();
    u += h * v + h * h / 4 * a;
    v += h / 2 * a;
    a = Q * (R \ (Rt \ (Qt * (f - C * v - K * u))));
    u += h * h / 4 * a;
    v += h / 2 * a;
    spent += cputime() - begin;
    peak = max(peak, max(abs(u)));
  end
  parts(p) = spent / part;
end
printf('{"program": "Octave %s, sparse Cholesky factor kept", "seconds_per_step": %.6g, "peak_m": %.10g}\n', ...
       version(), median(parts), peak);
