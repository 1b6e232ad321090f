import type { FastifyInstance } from 'fastify'

/** The methods that a path supports. */
export type AllowedMethods = (path: string) => string[]

/** Records the routes added from now on, except catch-all routes such as the pages. */
export function listenForMethods(server: FastifyInstance): AllowedMethods {
  const patterns = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  server.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*')) return
    const known = patterns.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const each of [method].flat()) known.methods.add(each)
    patterns.set(url, known)
  })
  return (path) => {
    const found = new Set<string>()
    for (const { pattern, methods } of patterns.values())
      if (pattern.test(path)) for (const each of methods) found.add(each)
    return [...found].sort()
  }
}

function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')))
  return new RegExp(`^${parts.join('/')}/?$`)
}
