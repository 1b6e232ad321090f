import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createDtdValidator } from './dtd-validity.ts'
import type { XmlFault } from './xml-fault.ts'

export const metaInfoDtdPath = fileURLToPath(new URL('./meta-info.dtd', import.meta.url))

let validate: ((xml: string | Uint8Array) => XmlFault[]) | null = null

/** All that a validator finds wrong with meta-information, with lines; nothing when it follows its document type. */
export function validateMetaInfo(xml: string | Uint8Array): XmlFault[] {
  validate ??= createDtdValidator(readFileSync(metaInfoDtdPath, 'utf8'))
  return validate(xml)
}
