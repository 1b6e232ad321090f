import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const script = readFileSync(new URL('./picker-frame.js', import.meta.url), 'utf8')

/** For the policy of the page: nothing but exactly this script may run. */
export const pickerScript = `'sha256-${createHash('sha256').update(script).digest('base64')}'`

/** An inert page with our script, with which people choose a part of it. */
export function pickerPage(inert: Uint8Array): Buffer {
  return Buffer.concat([inert, Buffer.from(`<script>${script}</script>`)])
}
