# syntax=docker/dockerfile:1
# One image for web, worker, beat and scheduler; docker-compose.yml gives each its command.

FROM node:20-bookworm-slim AS console
WORKDIR /src/frontend
COPY frontend/package.json frontend/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY vast/common/catalog /src/vast/common/catalog
COPY frontend ./
RUN npm run build

FROM python:3.11-slim-bookworm AS packages
ENV VIRTUAL_ENV=/opt/vast PATH=/opt/vast/bin:$PATH
WORKDIR /src
RUN python -m venv /opt/vast && pip install --no-cache-dir "uv>=0.9,<1"
# The lock file names the versions and hashes; the extra chooses what a server needs of them.
COPY pyproject.toml requirements.lock ./
RUN uv pip install --no-cache --constraint requirements.lock --requirement pyproject.toml --extra server
COPY README.md ./
COPY vast vast
RUN uv pip install --no-cache --no-deps --build-constraint requirements.lock . && uv pip uninstall uv

FROM python:3.11-slim-bookworm
ENV PATH=/opt/vast/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=vast.config.settings \
    VAST_HOME=/var/lib/vast \
    VAST_FRONTEND=/opt/console
RUN useradd --system --uid 10001 --home-dir /var/lib/vast --create-home vast
COPY --from=packages /opt/vast /opt/vast
COPY --from=console /src/frontend/dist /opt/console
USER 10001
WORKDIR /var/lib/vast
EXPOSE 8400
CMD ["python", "-m", "uvicorn", "vast.config.asgi:application", "--host", "0.0.0.0", "--port", "8400", \
     "--ws", "websockets", "--ws-per-message-deflate", "false", "--lifespan", "on", "--no-access-log", \
     "--timeout-graceful-shutdown", "3"]
