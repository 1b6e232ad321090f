import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../core/errors.ts'

/** Far beyond what any request needs. Parsing and validating deeper nesting takes long for its size. */
const MAX_DEPTH = 32

/** For sign-in and set-up, which anyone may call. */
export const SMALL_BODY_BYTES = 16_384

/**
 * Checks JSON bodies before they are parsed: for their encoding, since a term with replacement characters would never match, for their
 * depth, and for numbers that would become infinite.
 */
export function checkJsonBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser('application/json')
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    const body = bytes.toString()
    const error = isUtf8(bytes) ? errorIn(body) : 'the body is not UTF-8'
    return error === null ? parse(request, body, done) : done(new AppError('request-invalid', error))
  })
}

const numberAt = /-?\d[\d.eE+-]*/y

function errorIn(json: string): string | null {
  let depth = 0
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i)
    if (char === QUOTE) i = endOfText(json, i)
    else if (char === OPEN_LIST || char === OPEN_OBJECT) {
      if (++depth > MAX_DEPTH) return `more than ${MAX_DEPTH} levels of nesting`
    } else if (char === CLOSE_LIST || char === CLOSE_OBJECT) depth--
    else if (char >= DIGIT_0 && char <= DIGIT_9) {
      numberAt.lastIndex = i
      const text = numberAt.exec(json)![0]
      if (!Number.isFinite(Number(text)) && !Number.isNaN(Number(text)))
        return `${text.slice(0, MAX_SHOWN)} is too large a number`
      i += text.length - 1
    }
  }
  return null
}

/** The end of the string that starts at `start`. */
function endOfText(json: string, start: number): number {
  let i = start + 1
  while (i < json.length && json.charCodeAt(i) !== QUOTE) i += json.charCodeAt(i) === BACKSLASH ? 2 : 1
  return i
}

const MAX_SHOWN = 40
const [QUOTE, BACKSLASH, DIGIT_0, DIGIT_9] = [0x22, 0x5c, 0x30, 0x39]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
