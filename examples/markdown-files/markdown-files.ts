import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineStorage, toMarkdown } from 'erace'

/** Writes every stored page as a Markdown file with its address at the top. The newest version of a page wins. */
export default defineStorage({
  name: 'markdown-files',
  async store({ url, type, headers, body }, { folder }) {
    if (type !== 'text/html') return
    const contentType = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? type
    const page = await toMarkdown({ body: await body.bytes(), contentType, url })
    if (page === null) return
    const path = join(folder(), fileOf(url))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `<${url}>\n\n${page.markdown}`)
  },
})

/** A path that stays inside the folder for any URL: no `..`, and no `/` but our own. */
function fileOf(url: string): string {
  const { hostname, pathname, search } = new URL(url)
  const name = `${pathname}${search}`
    .replace(/[^\w.-]+/g, '_')
    .replace(/^[._]+|[._]+$/g, '')
    .slice(0, 150)
  return join(hostname.replace(/[^\w.-]/g, '_'), `${name || 'index'}.md`)
}
