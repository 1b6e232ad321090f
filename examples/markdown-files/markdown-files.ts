import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineStorage } from 'erace'

/** Writes every version that is stored as a Markdown file: title, address and text. The newest version of a page wins. */
export default defineStorage({
  name: 'markdown-files',
  async store(version, { folder }) {
    if (version.type !== 'text/html') return
    const path = join(folder(), fileOf(version.url))
    const text = (await version.text()).trim().split('\n').join('\n\n')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `# ${await version.title()}\n\n<${version.url}>\n\n${text}\n`)
  },
})

/** A name below the folder, whatever the URL says: no `..`, no `/` but our own. */
function fileOf(url: string): string {
  const { hostname, pathname, search } = new URL(url)
  const name = `${pathname}${search}`
    .replace(/[^\w.-]+/g, '_')
    .replace(/^[._]+|[._]+$/g, '')
    .slice(0, 150)
  return join(hostname.replace(/[^\w.-]/g, '_'), `${name || 'index'}.md`)
}
