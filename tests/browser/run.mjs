// All tests of the pages: node run.mjs YOKE CHROMIUM. Ends with 1 if one of them fails.
import { closeAll, failures } from './harness.mjs';

try {
  await import('./modules.mjs');
  await import('./report.mjs');
  await import('./dashboard.mjs');
} finally {
  await closeAll();
}
process.exit(failures() ? 1 : 0);
