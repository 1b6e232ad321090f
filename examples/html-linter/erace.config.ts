export default {
  parts: { modules: ['./html-linter.ts'] },
}
