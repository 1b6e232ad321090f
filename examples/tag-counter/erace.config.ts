export default {
  parts: { modules: ['./tag-counter.ts'] },
}
