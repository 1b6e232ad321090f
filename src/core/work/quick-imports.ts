import { registerHooks } from 'node:module'

/** Root folder of our modules: `src`, or `dist` in a package. */
const root = new URL('../../', import.meta.url).href
const ending = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
const format = ending === '.ts' ? 'module-typescript' : 'module'

/** Node options that preload something before the program, such as a tracer. */
const preload = /(?:^|\s)(?:--import|--require|--loader|--experimental-loader|-r)(?:[\s=]|$)/

/**
 * Resolves imports between our modules without Node's resolver, for all later imports of this thread. Our modules import each other by file
 * name with extension, so specifier and parent give the URL; Node's checks for symlinks, packages and formats take a quarter of a thread's
 * loading time. Preloaded code may replace modules and would be bypassed, so imports are left to Node if there is any.
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
