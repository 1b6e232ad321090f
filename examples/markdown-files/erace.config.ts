export default {
  parts: { storage: ['archive', './markdown-files.ts'] },
}
