import { registerHooks } from 'node:module'

/** Preloaded in a process and each of its threads: replaces the real processor with the faulty one. */
const faulty = new URL('./faulty-processor.ts', import.meta.url).href
const real = new URL('../../src/services/annotating/processor.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return found.url === real && context.parentURL !== faulty ? { ...found, url: faulty } : found
  },
})
