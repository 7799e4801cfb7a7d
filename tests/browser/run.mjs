// Tests of the pages: node run.mjs YOKE CHROMIUM GROUP..., a group being a module beside this one. Ends with 1 if one of them fails.
import { closeAll, failures } from './harness.mjs';

try {
  for (const group of process.argv.slice(4))
    await import(`./${group}.mjs`);
} finally {
  await closeAll();
}
process.exit(failures() ? 1 : 0);
