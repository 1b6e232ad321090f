import { registerHooks } from 'node:module'

/** The folder of all our modules: `src`, or `dist` in a package. */
const root = new URL('../../', import.meta.url).href
const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
const format = ending === '.ts' ? 'module-typescript' : 'module'

/** Options of Node that load something before the program, such as a tracer. */
const preload = /(?:^|\s)(?:--import|--require|--loader|--experimental-loader|-r)(?:[\s=]|$)/

/**
 * Our modules name each other by file and ending, so the two names say where an import leads. Node looks up links, packages and kinds of
 * files for each one, which takes a quarter of the time in which a thread is loaded. For all later imports of this thread. What was loaded
 * before the program may exchange modules, and would not be asked: then imports are left to Node.
 */
export function importQuickly(): void {
  if (preload.test([process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' '))) return
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL, conditions } = context
      const isOurs = parentURL?.startsWith(root) === true && specifier.startsWith('.') && specifier.endsWith(ending)
      if (!isOurs || !conditions.includes('import')) return next(specifier, context)
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true }
    },
  })
}
