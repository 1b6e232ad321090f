import type { FastifyInstance } from 'fastify'
import { AppError } from '../../core/errors.ts'

/** Browsers without scripts and mail programs send forms; few fields, each short. */
const MAX_FIELDS = 20
export const FORM_BYTES = 8192

/** Parses forms in this scope of routes. For repeated fields, the first value counts. */
export function readForms(scope: FastifyInstance): void {
  const parser = { parseAs: 'string', bodyLimit: FORM_BYTES } as const
  scope.addContentTypeParser('application/x-www-form-urlencoded', parser, (_request, body: string, done) => {
    const fields = new Map<string, string>()
    for (const [name, value] of new URLSearchParams(body)) if (!fields.has(name)) fields.set(name, value)
    if (fields.size > MAX_FIELDS) return done(new AppError('request-invalid', 'too many fields'))
    done(null, fields)
  })
}
