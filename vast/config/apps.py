from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "vast.config"

    def ready(self) -> None:
        # Every process that may send a task needs the configured Celery application.
        import vast.config.celery  # noqa: F401
