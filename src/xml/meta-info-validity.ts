import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createDtdValidator } from './dtd-validity.ts'
import type { XmlError } from './xml-error.ts'

export const metaInfoDtdPath = fileURLToPath(new URL('./meta-info.dtd', import.meta.url))

let validate: ((xml: string | Uint8Array) => XmlError[]) | null = null

/** All that a validator finds wrong with meta-information, with lines; nothing when it follows its document type. */
export function validateMetaInfo(xml: string | Uint8Array): XmlError[] {
  validate ??= createDtdValidator(readFileSync(metaInfoDtdPath, 'utf8'))
  return validate(xml)
}
