from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "vast.config"
