import { spawnSync } from 'node:child_process'

const isThere = spawnSync('xmllint', ['--version']).status === 0

if (!isThere && process.env.CI) throw new Error('xmllint must be there in CI (Debian package libxml2-utils)')

/** Why tests with an independent validator are skipped, or false. */
export const xmllintSkip: string | false = isThere ? false : 'there is no xmllint (Debian package libxml2-utils)'
