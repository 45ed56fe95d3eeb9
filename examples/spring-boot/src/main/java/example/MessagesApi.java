package example;

import static org.springframework.http.HttpMethod.GET;
import static org.springframework.http.HttpMethod.POST;
import static org.springframework.security.config.Customizer.withDefaults;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A platform API: reading needs messaging:view, and sending needs messaging:manage. */
@SpringBootApplication
@RestController
public class MessagesApi {
  public static void main(String[] arguments) {
    SpringApplication.run(MessagesApi.class, arguments);
  }

  /** Spring makes the authority SCOPE_x from each scope x of a token. */
  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(
            requests ->
                requests
                    .requestMatchers(GET, "/messages").hasAuthority("SCOPE_messaging:view")
                    .requestMatchers(POST, "/messages").hasAuthority("SCOPE_messaging:manage")
                    .anyRequest().denyAll())
        .oauth2ResourceServer(server -> server.jwt(withDefaults()))
        .build();
  }

  @GetMapping("/messages")
  Map<String, String> list(@AuthenticationPrincipal Jwt token) {
    return describe(token);
  }

  @PostMapping("/messages")
  Map<String, String> send(@AuthenticationPrincipal Jwt token) {
    return describe(token);
  }

  private static Map<String, String> describe(Jwt token) {
    return Map.of(
        "client_id", token.getClaimAsString("client_id"),
        "service_trunk_group", token.getClaimAsString("service_trunk_group"));
  }
}
