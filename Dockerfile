# The server with its pages: docker build --tag fogkeep --build-arg VERSION=0.1.0 .

FROM node:24-bookworm-slim AS pages
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
COPY web/sdk/package.json sdk/
RUN npm ci --no-audit --no-fund
COPY . /src
RUN npm run --silent build

FROM golang:1.26-bookworm AS program
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=pages /src/web/dist/site web/dist/site
ARG VERSION=devel
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
      -ldflags="-s -w -X github.com/fogkeep/fogkeep/internal/telemetry.release=${VERSION}" -o /out/fogkeep ./cmd/fogkeep \
 && mkdir /out/data

# No shell, no package manager: the program is static.
FROM scratch
COPY --from=program /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=program /out/fogkeep /usr/bin/fogkeep
COPY --from=program --chown=65532:65532 /out/data /data
USER 65532:65532
WORKDIR /data
VOLUME /data
ENV FOGKEEP_DATA_DIR=/data FOGKEEP_ADDR=0.0.0.0:8080 FOGKEEP_ADMIN_ADDR=0.0.0.0:8081 FOGKEEP_METRICS_ADDR=0.0.0.0:8082
EXPOSE 8080 8081 8082
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/usr/bin/fogkeep", "ready"]
ENTRYPOINT ["/usr/bin/fogkeep"]
CMD ["serve"]
