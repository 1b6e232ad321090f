import { AjvCompiler } from '@fastify/ajv-compiler'

const rules = { removeAdditional: false, allErrors: false, strict: false, useDefaults: true }
const compilers = AjvCompiler()

/**
 * How requests are validated. URLs and headers are text, so numbers and lists in them are converted from text; in a body
 * each value already has a type, and a different type than the schema's is an error.
 */
export const buildValidator: typeof compilers = (schemas) => {
  const ofTexts = compilers(schemas, { customOptions: { ...rules, coerceTypes: 'array' } })
  const ofBodies = compilers(schemas, { customOptions: { ...rules, coerceTypes: false } })
  return (route) => ((route as { httpPart?: string }).httpPart === 'body' ? ofBodies : ofTexts)(route)
}
