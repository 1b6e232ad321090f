// Runs several test files in this process, one after the other, each as a suite named by its path, so that shared imports
// are loaded once. Started by test.ts.
import { resolve } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'

for (const file of process.argv.slice(2))
  await describe(file, async () => {
    await import(pathToFileURL(resolve(file)).href)
  })
