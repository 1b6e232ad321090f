import type { FastifyInstance } from 'fastify'
import { AppError } from '../../core/errors.ts'

/** Far beyond what any request needs. Parsing and validating deeper nesting takes long for its size. */
const MAX_DEPTH = 32

/** For sign-in and set-up, which anyone may call. */
export const SMALL_BODY_BYTES = 16_384

/** JSON bodies are checked for their depth before they are parsed. */
export function limitDepth(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser('application/json')
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (isTooDeep(body)) return done(new AppError('request-invalid', `more than ${MAX_DEPTH} levels of nesting`))
    return parse(request, body, done)
  })
}

function isTooDeep(json: string): boolean {
  let depth = 0
  let isText = false
  for (let i = 0; i < json.length; i++) {
    const char = json[i]
    if (isText) {
      if (char === '\\') i++
      else if (char === '"') isText = false
    } else if (char === '"') isText = true
    else if (char === '[' || char === '{') {
      if (++depth > MAX_DEPTH) return true
    } else if (char === ']' || char === '}') depth--
  }
  return false
}
