import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const script = readFileSync(new URL('./picker-frame.js', import.meta.url), 'utf8')

/** CSP source that allows exactly this script. */
export const pickerScript = `'sha256-${createHash('sha256').update(script).digest('base64')}'`

/** An inert page with our picker script. */
export function pickerPage(inert: Uint8Array): Buffer {
  return Buffer.concat([inert, Buffer.from(`<script>${script}</script>`)])
}
