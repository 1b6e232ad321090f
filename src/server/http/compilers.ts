import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const rules = { removeAdditional: false, allErrors: false, strict: false, useDefaults: true }
const validators = AjvCompiler()
const serializers = SerializerSelector()

type Validator = ReturnType<ReturnType<typeof validators>>

/**
 * How requests are validated. URLs and headers are text, so numbers and lists in them are converted from text; in a body
 * each value already has a type, and a different type than the schema's is an error. A schema is compiled when the first
 * request needs it: compiling all of them takes half a second of each start.
 */
export const buildValidator: typeof validators = (schemas) => {
  const ofTexts = validators(schemas, { customOptions: { ...rules, coerceTypes: 'array' } })
  const ofBodies = validators(schemas, { customOptions: { ...rules, coerceTypes: false } })
  return (route) => {
    let compiled: Validator | undefined
    const validate = ((data: unknown) => {
      compiled ??= ((route as { httpPart?: string }).httpPart === 'body' ? ofBodies : ofTexts)(route)
      const result = compiled(data)
      validate.errors = compiled.errors ?? null
      return result
    }) as Validator
    return validate
  }
}

/** Serialises responses; compiled on first use, like the validators. */
export const buildSerializer: typeof serializers = (schemas, options) => {
  const compile = serializers(schemas, options)
  return (route) => {
    let compiled: ReturnType<typeof compile> | undefined
    return (data) => {
      compiled ??= compile(route)
      return compiled(data)
    }
  }
}
