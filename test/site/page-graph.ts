/**
 * A small web of numbered pages, the same each time: page 0 is `/`, page n is `/page/n.html`. A binary tree of links
 * reaches every page of a host; further links go to neighbours, and one in three pages links to the next host unless
 * the hosts are to be `apart`.
 */
export type PageGraph = { pages: number; linksPerPage: number; origins: string[]; apart: boolean }

export function pathOfPage(page: number): string {
  return page === 0 ? '/' : `/page/${page}.html`
}

export function linksOfPage(
  { pages, linksPerPage, origins, apart }: PageGraph,
  hostIndex: number,
  page: number,
): string[] {
  const links: string[] = []
  for (const child of [page * 2 + 1, page * 2 + 2]) if (child < pages) links.push(pathOfPage(child))
  if (!apart && origins.length > 1 && page % 3 === 0)
    links.push(`${origins[(hostIndex + 1) % origins.length]}${pathOfPage((page * 5) % pages)}`)
  for (let step = 1; links.length < linksPerPage && step < pages; step++)
    links.push(pathOfPage((page + step * step) % pages))
  return links
}

/** `edition` changes the text of a page and leaves its links as they are. */
export function renderGraphPage(graph: PageGraph, hostIndex: number, page: number, edition: number): string {
  const links = linksOfPage(graph, hostIndex, page)
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Page ${page} of host ${hostIndex}</title></head>
<body><h1>Page ${page}</h1><p>Edition ${edition} &amp; host ${hostIndex}.</p>
<ul>${links.map((href) => `<li><a href="${href}">to ${href}</a></li>`).join('\n')}</ul>
</body></html>
`
}
