export default {
  // Images are not collected by default; their suffixes are named, so that links to them are followed.
  crawl: { mime: ['text/html html', 'image/png png', 'image/gif gif', 'image/jpeg jpg jpeg'] },
  parts: { modules: ['./image-statistics.ts'] },
}
