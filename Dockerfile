# An image of the packed file, for all roles: npm pack && docker build -t erace .
# docs/install.md shows how to run it; deploy/ has a whole cluster.
FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    ERACE_DATA=/data \
    ERACE_SERVER_HOST=0.0.0.0 \
    NODE_COMPILE_CACHE=/tmp/erace-compiled
COPY erace-*.tgz /tmp/
# The optional packages contain Node, which this image already has.
RUN npm install --global --omit=optional --no-audit --no-fund /tmp/erace-*.tgz \
 && rm -rf /tmp/erace-*.tgz /root/.npm \
 && mkdir /data && chown node:node /data
# The user that runs it owns no files of the program.
USER node
VOLUME /data
EXPOSE 7070
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:7070/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["erace"]
CMD ["up"]
