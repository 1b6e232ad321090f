export default {
  // Images are not collected by default. Listing their suffixes makes the crawl follow links to them.
  crawl: { mime: ['text/html html', 'image/png png', 'image/gif gif', 'image/jpeg jpg jpeg'] },
  parts: { modules: ['./image-statistics.ts'] },
}
