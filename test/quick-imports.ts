// Before each test file: what a module of ours imports by its path is where that path says. Node would ask the disk, and Vitest tell its
// main process, for each of thousands of imports.
import { registerHooks } from 'node:module';

const marked = globalThis as { hasQuickImports?: true };
if (!marked.hasQuickImports) {
  marked.hasQuickImports = true;
  registerHooks({
    resolve(specifier, context, next) {
      const isOurs = specifier.startsWith('.') && specifier.endsWith('.ts') && context.parentURL !== undefined;
      return isOurs
        ? { url: new URL(specifier, context.parentURL).href, shortCircuit: true }
        : next(specifier, context);
    },
  });
}
