import { AjvCompiler } from '@fastify/ajv-compiler'

const rules = { removeAdditional: false, allErrors: false, strict: false, useDefaults: true }
const compilers = AjvCompiler()

/**
 * How requests are held against their schemas. Addresses and headers are texts, so a number or a list in them has to be made of a
 * text; in a body each value has a type of its own already, and another one than the schema names is a fault.
 */
export const buildValidator: typeof compilers = (schemas) => {
  const ofTexts = compilers(schemas, { customOptions: { ...rules, coerceTypes: 'array' } })
  const ofBodies = compilers(schemas, { customOptions: { ...rules, coerceTypes: false } })
  return (route) => ((route as { httpPart?: string }).httpPart === 'body' ? ofBodies : ofTexts)(route)
}
